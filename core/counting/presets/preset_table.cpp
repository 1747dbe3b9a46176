#include "core/counting/presets/preset_table.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/counting/presets/builtin_tables.h"
#include "core/counting/presets/definition_builder.h"
#include "core/counting/presets/event_file.h"
#include "core/counting/presets/event_index.h"
#include "core/counting/presets/preset_file.h"
#include "core/counting/presets/standard_presets.h"

// File: PresetTable::State has everything; PresetTable takes the lock and calls it. A file is read
// by PresetFileReader, its statements go to a DefinitionBuilder, and the builder's drafts become
// definitions in the EventIndex, whose readers need no lock. The built-in tables take the same way
// at the first look-up.

namespace csink {
namespace {

/// libpfm4's PMU with the events that all Intel CPUs have in common. Where the CPU's own PMU is
/// present, too, both would count the same events, and presets would be twice as high.
constexpr std::string_view kArchitecturalPmu = "ix86arch";
/// The note of presets for which this processor has no table.
constexpr std::string_view kGenericNote =
    "counts the kernel's generic event, because there is no preset table for this processor";
constexpr std::string_view kPresetPrefix = "PAPI_";

// Makes kArchitecturalPmu a PMU that is no core's, unless it is the only one of a core.
void DemoteArchitecturalPmu(std::vector<PresentPmu>& pmus) {
  const bool other_core = std::any_of(pmus.begin(), pmus.end(), [](const PresentPmu& pmu) {
    return pmu.is_core && pmu.name != kArchitecturalPmu;
  });
  for (PresentPmu& pmu : pmus) {
    if (other_core && pmu.name == kArchitecturalPmu) pmu.is_core = false;
  }
}

// The indices of core PMUs, in their order.
std::vector<std::size_t> CorePmus(const std::vector<PresentPmu>& pmus) {
  std::vector<std::size_t> cores;
  for (std::size_t i = 0; i < pmus.size(); ++i) {
    if (pmus[i].is_core) cores.push_back(i);
  }
  return cores;
}

// Makes a definition of a draft, without its code. Standard presets get their classes, and their
// own descriptions where the draft has none.
std::unique_ptr<PresetDefinition> DefinitionOf(PresetDraft draft) {
  auto definition = std::make_unique<PresetDefinition>();
  definition->name = std::move(draft.name);
  definition->derivation = draft.derivation;
  if (draft.derivation == Derivation::kPostfix) definition->postfix = draft.formula.Postfix();
  definition->natives = std::move(draft.natives);
  definition->formula = std::move(draft.formula);
  definition->short_description = std::move(draft.short_description);
  definition->long_description = std::move(draft.long_description);
  definition->note = std::move(draft.note);
  const std::size_t index = StandardPresetIndex(definition->name);
  if (index == kStandardPresetCount) return definition;
  const StandardPreset& standard = StandardPresetAt(index);
  definition->classes = standard.classes;
  if (definition->short_description.empty()) {
    definition->short_description = standard.short_description;
  }
  if (definition->long_description.empty()) {
    definition->long_description = standard.long_description;
  }
  return definition;
}

}  // namespace

class PresetTable::State {
 public:
  explicit State(PresetOptions given) : options(std::move(given)) {
    DemoteArchitecturalPmu(options.pmus);
  }

  // A builder for one file. It sees the definitions of earlier files, which the index keeps for
  // ever.
  DefinitionBuilder Builder() {
    return {options.pmus,
            [this](std::string_view name) { return index.ByCode(index.CodeOf(name)); },
            index.user_event_count() != 0};
  }

  /// Whether a line of the file is malformed. If so, the complaints are about malformed lines only:
  /// the trial's own complaints are thrown away, and nothing was defined that could cause others.
  bool IsMalformed(std::string_view file_name, std::string_view text) {
    ComplaintList unused;
    PresetFileReader trial(file_name, text, options.pmus, unused);
    PresetStatement statement;
    while (trial.Next(statement)) {
    }
    if (trial.malformed() == 0) return false;
    PresetFileReader reader(file_name, text, options.pmus, complaints);
    while (reader.Next(statement)) {
    }
    return true;
  }

  /// Defines the events in `text` and returns their number. `strict`: with a malformed line nothing
  /// is defined. A statement that cannot be resolved is left out with a complaint, strict or not.
  std::size_t Read(std::string_view file_name, std::string_view text, bool strict) {
    if (strict && IsMalformed(file_name, text)) return 0;
    DefinitionBuilder builder = Builder();
    PresetFileReader reader(file_name, text, options.pmus, complaints);
    PresetStatement statement;
    std::string sentence;
    while (reader.Next(statement)) {
      std::string_view culprit = statement.name;
      if (!builder.Add(statement, reader.pmus(), sentence, &culprit)) {
        complaints.Add(file_name, statement.line, reader.ColumnOf(culprit), sentence);
      } else if (statement.name.starts_with(kPresetPrefix) &&
                 StandardPresetIndex(statement.name) == kStandardPresetCount &&
                 !NearestStandardPreset(statement.name).empty()) {
        // Probably a misspelt preset. The definition is legal, so this is a hint only.
        complaints.Add(file_name, statement.line, reader.ColumnOf(statement.name),
                       Quoted(statement.name) + " is not a preset and becomes a user event" +
                           NearestHint(NearestStandardPreset(statement.name)));
      }
    }
    // Only now, when all lines are known: the parts of several PMUs are one definition.
    return InstallAll(file_name, builder.Finish());
  }

  // Makes the drafts visible and returns their number. The lock must be held.
  std::size_t InstallAll(std::string_view file_name, std::vector<PresetDraft> drafts) {
    std::size_t installed = 0;
    for (PresetDraft& draft : drafts) {
      if (index.Install(DefinitionOf(std::move(draft))) == 0) {
        complaints.Add(file_name, 0,
                       "there can be at most " + std::to_string(kMaxUserEvents) +
                           " user events; the others are ignored");
        break;
      }
      ++installed;
    }
    return installed;
  }

  /// The same for a file in PAPI 3.5's format: all of its definitions or none.
  std::size_t ReadColumns(std::string_view file_name, std::string_view text) {
    const std::size_t before = complaints.count();
    std::vector<PresetColumnsLine> lines = ReadPresetColumns(file_name, text, complaints);
    // Malformed lines; DefineAll would see only the others.
    if (complaints.count() != before) return 0;
    std::vector<PresetRequest> requests;
    for (PresetColumnsLine& line : lines) requests.push_back(std::move(line.request));
    DefineFailure failure;
    std::vector<std::uint32_t> codes;
    if (DefineAll(requests, true, failure, &codes)) return codes.size();
    // The failure names a request and a value, for which the line has the position in the file.
    const PresetColumnsLine& wrong = lines[failure.request];
    const bool has_column = failure.column < wrong.columns.size();
    complaints.Add(file_name, wrong.line, has_column ? wrong.columns[failure.column] : 0,
                   failure.sentence);
    return 0;
  }

  // Whether all natives can be counted. The answer is kept in the definition. Relaxed: the answer
  // is the same whichever thread finds it, and no other data depends on it.
  bool IsAvailable(const PresetDefinition& definition) const {
    using Availability = PresetDefinition::Availability;
    const CanCount can_count = options.can_count;
    if (!can_count) return true;
    void* context = options.can_count_context;
    Availability known = definition.availability_.load(std::memory_order_relaxed);
    if (known == Availability::kUnknown) {
      // Where the section's PMU was added to a name, the name alone may be another component's.
      const bool all = std::all_of(
          definition.natives.begin(), definition.natives.end(), [&](const PresetNative& native) {
            return can_count(native.qualified, context) ||
                   (native.shown_from != 0 && can_count(native.shown(), context));
          });
      known = all ? Availability::kYes : Availability::kNo;
      definition.availability_.store(known, std::memory_order_relaxed);
    }
    return known == Availability::kYes;
  }

  // The lock must be held.
  bool DefineAll(std::span<const PresetRequest> requests, bool replace, DefineFailure& failure,
                 std::vector<std::uint32_t>* codes) {
    DefinitionBuilder builder = Builder();
    const std::vector<std::size_t> cores = CorePmus(options.pmus);
    DefinitionBatch batch(index, builder, cores, replace, [this](const PresetDefinition& existing) {
      return IsAvailable(existing);
    });
    std::vector<PresetDraft> drafts;
    if (!batch.Make(requests, options.knows_native, options.knows_native_context, drafts,
                    failure)) {
      return false;
    }
    for (PresetDraft& draft : drafts) {
      const std::uint32_t code = index.Install(DefinitionOf(std::move(draft)));
      if (codes) codes->push_back(code);
    }
    return true;
  }

  /// Reads a file by name, in either format. On failure a complaint is added, followed by
  /// `instead`. The lock must be held, or no other thread must know the table yet. Errors: those of
  /// ReadEventFile; kInvalid if mistakes left nothing of the file.
  Result<std::size_t> ReadFile(const std::string& path, const char* instead, bool strict) {
    std::string sentence;
    const Result<std::string> text = ReadEventFile(path, sentence);
    if (!text) {
      complaints.Add(path, 0, sentence + instead);
      return text.error();
    }
    const std::size_t before = complaints.count();
    const std::size_t defined =
        HasPresetColumns(*text) ? ReadColumns(path, *text) : Read(path, *text, strict);
    // A file without any definition and without mistakes is no error.
    if (defined == 0 && complaints.count() != before) {
      return Error{Errc::kInvalid, 0, "no line of the event file could be used"};
    }
    return defined;
  }

  /// Parses the built-in tables if that was not done yet. Called before look-ups and definitions
  /// instead of at the start, because most programs never ask for a preset. Must be called without
  /// the lock.
  void EnsureBuiltin() {
    if (builtin_read.load(std::memory_order_acquire)) return;
    const std::scoped_lock hold(lock);
    // Another thread may have read them meanwhile.
    if (builtin_read.load(std::memory_order_relaxed)) return;
    ReadBuiltinTables();
    // Release pairs with the acquire above: a reader that sees true sees the definitions.
    builtin_read.store(true, std::memory_order_release);
  }

  /// Reads the tables of all PMUs into one builder: one file may serve several PMUs, and a hybrid
  /// CPU's PMUs have one each. Only where no core PMU has a table, those of other PMUs serve
  /// ("perf": the kernel's generic events).
  void ReadBuiltinTables() {
    DefinitionBuilder builder = Builder();
    bool core_has_table = false;
    for (std::size_t pmu : CorePmus(options.pmus)) core_has_table |= AddBuiltin(builder, pmu);
    for (std::size_t i = 0; !core_has_table && i < options.pmus.size(); ++i) {
      if (!options.pmus[i].is_core) AddBuiltin(builder, i);
    }
    InstallAll("built-in presets", builder.Finish());
  }

  // Adds the statements of one PMU's table. Returns false if the PMU has none. The text is read as
  // if the PMU were the only one, so a table for several PMUs is read once for each.
  bool AddBuiltin(DefinitionBuilder& builder, std::size_t pmu) {
    const std::string_view text = BuiltinTableOf(options.pmus[pmu].name);
    if (text.empty()) return false;
    const std::string file_name = "built-in presets of " + options.pmus[pmu].name;
    PresetFileReader reader(file_name, text, {&options.pmus[pmu], 1}, complaints);
    PresetStatement statement;
    std::string sentence;
    while (reader.Next(statement)) {
      if (!options.pmus[pmu].is_core && statement.note.empty()) statement.note = kGenericNote;
      if (!builder.Add(statement, {&pmu, 1}, sentence)) {
        complaints.Add(file_name, statement.line, sentence);
      }
    }
    return true;
  }

  PresetOptions options;
  EventIndex index;
  std::atomic<bool> builtin_read{false};  ///< Done, or not needed since there is an override
  mutable std::mutex lock;  ///< For the complaints and for everything that changes the index
  ComplaintList complaints;
};

PresetTable::PresetTable(std::unique_ptr<State> state) : state_(std::move(state)) {}
PresetTable::~PresetTable() = default;

std::unique_ptr<PresetTable> PresetTable::Load(PresetOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  const std::string& override_file = state->options.override_file;
  if (!override_file.empty()) {
    const Result<std::size_t> read =
        state->ReadFile(override_file, "; the built-in presets are used instead", false);
    // With kInvalid the file was read and replaces the built-in tables by nothing.
    state->builtin_read = read || read.error().code == Errc::kInvalid;
  }
  if (!state->options.user_events_file.empty()) {
    // User events may be made of presets.
    state->EnsureBuiltin();
    (void)state->ReadFile(state->options.user_events_file, "; no user events are defined", false);
  }
  return std::unique_ptr<PresetTable>(new PresetTable(std::move(state)));
}

const PresetDefinition* PresetTable::ByCode(std::uint32_t code) const {
  state_->EnsureBuiltin();
  return state_->index.ByCode(code);
}

std::uint32_t PresetTable::CodeOf(std::string_view name) const noexcept {
  return state_->index.CodeOf(name);
}

std::string_view PresetTable::NameOf(std::uint32_t code) const noexcept {
  if (const PresetDefinition* definition = state_->index.ByCode(code)) return definition->name;
  const std::uint32_t index = code & ~kPresetMask;
  if ((code & kPresetMask) == 0 || index >= kStandardPresetCount) return {};
  // A preset without a definition has a name as well.
  return StandardPresetAt(index).name;
}

std::size_t PresetTable::UserEventCount() const noexcept {
  return state_->index.user_event_count();
}

bool PresetTable::IsAvailable(const PresetDefinition& definition) const {
  return state_->IsAvailable(definition);
}

void PresetTable::SetPmus(std::vector<PresentPmu> pmus) {
  const std::scoped_lock hold(state_->lock);
  // Other threads may have the PMUs already.
  if (!state_->options.pmus.empty()) return;
  DemoteArchitecturalPmu(pmus);
  state_->options.pmus = std::move(pmus);
}

bool PresetTable::HasPmus() const {
  const std::scoped_lock hold(state_->lock);
  return !state_->options.pmus.empty();
}

Result<std::size_t> PresetTable::LoadUserEvents(const std::string& path) {
  state_->EnsureBuiltin();
  const std::scoped_lock hold(state_->lock);
  return state_->ReadFile(path, "", true);
}

bool PresetTable::DefineAll(std::span<const PresetRequest> requests, bool replace,
                            DefineFailure& failure, std::vector<std::uint32_t>* codes) {
  state_->EnsureBuiltin();
  const std::scoped_lock hold(state_->lock);
  return state_->DefineAll(requests, replace, failure, codes);
}

Result<std::uint32_t> PresetTable::Define(const PresetRequest& request, bool replace,
                                          std::string* complaint) {
  DefineFailure failure;
  std::vector<std::uint32_t> codes;
  // DefineAll accepts a preset without natives and would then define nothing.
  if (request.bases.empty()) {
    failure.sentence = Quoted(request.name) + " has no native event";
  } else if (DefineAll({&request, 1}, replace, failure, &codes)) {
    return codes.front();
  }
  if (complaint) *complaint = Printable(failure.sentence);
  return failure.error;
}

std::vector<std::string> PresetTable::Complaints() const {
  const std::scoped_lock hold(state_->lock);
  return state_->complaints.Sentences();
}

}  // namespace csink

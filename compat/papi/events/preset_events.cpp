#include "compat/papi/events/preset_events.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "compat/papi/boundary/debug.h"
#include "compat/papi/boundary/library_state.h"
#include "compat/papi/events/component_table.h"
#include "compat/papi/events/event_codes.h"
#include "compat/papi/threads/thread_list.h"
#include "core/counting/catalogue/native_catalogue.h"

/// File: presets and user events. core/counting/presets parses the definitions; here their native
/// events are resolved to numbers of components (Find), once for each definition, and failures are
/// explained.

namespace csink::papi {
namespace {

constexpr const char* kOverrideFile = "PAPI_CSV_EVENT_FILE";
constexpr const char* kUserEventsFile = "PAPI_USER_EVENTS_FILE";
/// Prefix of complaints about the built-in tables (PresetTable). Users cannot correct these, so
/// they are not shown.
constexpr std::string_view kBuiltIn = "built-in presets";

/// The path of data file `name` in share/csink of this installation; "share/csink/NAME": not found.
/// Searched relative to the object that contains this code, so an installation can be moved. dladdr
/// names that object: libpapi.so, or the program that links libpapi.a.
std::string DataFile(const char* name) {
  const std::string below = std::string("share/csink/") + name;
  Dl_info object = {};
  if (dladdr(reinterpret_cast<const void*>(&DataFile), &object) == 0 || !object.dli_fname) {
    return below;
  }
  std::string folder = object.dli_fname;
  folder.erase(folder.rfind('/') + 1);
  // PREFIX/lib or PREFIX/bin; PREFIX/lib/TRIPLET; countersink/papi/lib below each of both.
  for (const char* up : {"../", "../../", "../../../../", "../../../../../"}) {
    // realpath fails if the file does not exist, so it also serves as the test.
    char* path = realpath((folder + up + below).c_str(), nullptr);
    if (!path) continue;
    const std::string found = path;
    std::free(path);
    return found;
  }
  return below;
}

/// Callback of PresetTable: whether a native event can be counted here. Names are resolved as
/// PAPI_event_name_to_code does.
bool CanCountNative(std::string_view name, void*) {
  ComponentTable& components = Components();
  const Result<int> code = components.FindNative(name);
  if (!code) return false;
  const int index = NativeComponent(*code);
  if (components.CheckSwitchedOn(index) != PAPI_OK) return false;
  return components.At(index)->CanCount(NativeNumber(*code)).has_value();
}

/// Callback of PresetTable: whether a definition may use this native event.
bool KnowsNativeOf(std::string_view name, std::string& why, void*) {
  if (Components().FindNative(name)) return true;
  why = Complaint().view();
  Complaint().Clear();  // the caller decides whether that is an error
  return false;
}

/// The error codes of PAPI 3.5's manual (PAPI_set_event_info, PAPI_encode_events).
int AnswerTo(DefineFailure::Kind kind) noexcept {
  switch (kind) {
    case DefineFailure::Kind::kExists:
      return PAPI_EPERM;
    case DefineFailure::Kind::kInUse:
      return PAPI_EISRUN;
    case DefineFailure::Kind::kFull:
      return PAPI_ENOTPRESET;
    case DefineFailure::Kind::kInvalid:
      break;
  }
  return PAPI_EINVAL;
}

/// secure_getenv: a privileged program must not read files that its caller names.
std::string Environment(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

/// Without a PMU no built-in table can count anything. libpfm4, which takes 2 ms to identify the
/// processor, is then not asked. Files of the user have lines for CPUs and need the PMUs in any
/// case.
bool NeedsPmus(const PresetOptions& options) {
  return !options.override_file.empty() || !options.user_events_file.empty() ||
         secure_getenv("LIBPFM_FORCE_PMU") || !Components().BasicsOf(0).has_no_pmu;
}

/// Opens libpfm4 and identifies the processor (about 2 ms).
std::vector<PresentPmu> PmusOfThisMachine() {
  std::vector<PresentPmu> pmus;
  for (const CataloguePmu& pmu : NativeCatalogue::Get().Pmus()) {
    pmus.push_back({std::string(pmu.name), pmu.kind == PmuKind::kCore});
  }
  return pmus;
}

PresetOptions OptionsOfThisProcess() {
  PresetOptions options;
  options.override_file = Environment(kOverrideFile);
  options.user_events_file = Environment(kUserEventsFile);
  if (NeedsPmus(options)) options.pmus = PmusOfThisMachine();
  options.can_count = CanCountNative;
  options.knows_native = KnowsNativeOf;
  return options;
}

}  // namespace

PresetEvents& Presets() noexcept {
  // Never destroyed: threads may end and handlers may run after static destructors. In static
  // storage, so that making it needs no memory for the object.
  alignas(PresetEvents) static unsigned char storage[sizeof(PresetEvents)];
  static PresetEvents* const presets = new (storage) PresetEvents;
  return *presets;
}

PresetEvents::~PresetEvents() = default;

PresetTable* PresetEvents::Table() {
  if (PresetTable* table = table_.load(std::memory_order_acquire)) return table;
  PresetTable* loaded = nullptr;
  {
    const FutexHolding holding(lock_, OwnTid());
    if (!holding.held()) return nullptr;
    if (owned_) return owned_.get();
    owned_ = PresetTable::Load(OptionsOfThisProcess());
    loaded = owned_.get();
    table_.store(loaded, std::memory_order_release);
  }
  // Once, by the thread that loaded, and after the lock is released: FileComplaints calls Table.
  for (const std::string& sentence : FileComplaints()) SayAside(sentence);
  return loaded;
}

std::vector<std::string> PresetEvents::FileComplaints() {
  const PresetTable* table = Table();
  if (table == nullptr) return {};
  std::vector<std::string> all = table->Complaints();
  std::erase_if(all, [](const std::string& text) { return text.starts_with(kBuiltIn); });
  return all;
}

const PresetDefinition* PresetEvents::DefinitionOf(int code) {
  const PresetTable* table = Table();
  return table ? table->ByCode(static_cast<std::uint32_t>(code)) : nullptr;
}

/// All native events of a preset must be of one component, because an event set has one. Failures
/// are stored as well (count 0), so that a listing resolves each preset once.
const ResolvedPreset* PresetEvents::Find(int code) {
  const PresetDefinition* definition = DefinitionOf(code);
  if (definition == nullptr) return nullptr;
  {
    const FutexHolding holding(lock_, OwnTid());
    if (!holding.held()) return nullptr;
    const auto known = resolved_.find(definition);
    if (known != resolved_.end()) return known->second.count ? &known->second : nullptr;
  }
  // Resolved without the lock: FindNative may open components. Two threads may do it at once; the
  // first result is kept.
  ResolvedPreset made;
  made.definition = definition;
  for (const PresetNative& native : definition->natives) {
    const Result<int> found = Components().FindNative(native.qualified);
    const int component = found ? NativeComponent(*found) : -1;
    if (!found || (made.component >= 0 && made.component != component) ||
        made.count == made.natives.size()) {
      made.count = 0;
      break;
    }
    made.component = component;
    made.natives[made.count++] = NativeNumber(*found);
  }
  const FutexHolding holding(lock_, OwnTid());
  const ResolvedPreset& kept = resolved_.try_emplace(definition, made).first->second;
  return kept.count ? &kept : nullptr;
}

bool PresetEvents::IsAvailable(const ResolvedPreset& preset) {
  const PresetTable* table = Table();
  return table && table->IsAvailable(*preset.definition);
}

int PresetEvents::CodeOf(std::string_view name) {
  const PresetTable* table = Table();
  return table ? static_cast<int>(table->CodeOf(name)) : 0;
}

std::string_view PresetEvents::NameOf(int code) {
  const PresetTable* table = Table();
  return table ? table->NameOf(static_cast<std::uint32_t>(code)) : std::string_view();
}

/// The message names the reason, the user's own file with its first mistake, and the file of
/// software events where that has the preset. Component 0 is perf_event, whose reason holds for all
/// presets.
int PresetEvents::Unavailable(std::string_view name) {
  EventComplaint& complaint = Complaint();
  const ComponentInfo& info = Components().BasicsOf(0);
  complaint.Clear();
  complaint.Add("this machine does not count ").Add(name);
  const std::string& reason = info.disabled ? info.disabled_reason : info.hardware_reason;
  if (!reason.empty()) complaint.Add(" (").Add(reason).Add(")");
  const std::string file = Environment(kOverrideFile);
  if (!file.empty()) {
    complaint.Add(", and the event is not in ").Add(kOverrideFile).Add("=").Add(file);
    const std::vector<std::string> wrong = FileComplaints();
    if (!wrong.empty()) complaint.Add("; ").Add(wrong.front());
  }
  const std::string software = DataFile("presets-software.csv");
  if (!info.disabled && file != software && HasSoftwareEvent(name)) {
    complaint.Add("; ").Add(kOverrideFile).Add("=").Add(software);
    complaint.Add(" defines the common presets by software events");
  }
  return PAPI_ENOEVNT;
}

int PresetEvents::Check(int code) {
  const std::string_view name = NameOf(code);
  if (name.empty()) {
    // PAPI distinguishes a code beyond its table from an entry without a preset.
    const bool beyond =
        FamilyOf(code) == EventFamily::kPreset &&
        (static_cast<std::uint32_t>(code) & PAPI_PRESET_AND_MASK) >= PAPI_MAX_PRESET_EVENTS;
    return Complain(beyond ? PAPI_ENOTPRESET : PAPI_ENOEVNT, "there is no preset with this code");
  }
  const ResolvedPreset* preset = Find(code);
  if (preset && IsAvailable(*preset)) return PAPI_OK;
  return preset || !ExplainUnresolved(code) ? Unavailable(name) : PAPI_ENOEVNT;
}

/// Looks up the natives again only for the message, which FindNative leaves in Complaint().
bool PresetEvents::ExplainUnresolved(int code) {
  const PresetDefinition* definition = DefinitionOf(code);
  if (definition == nullptr) return false;
  for (const PresetNative& native : definition->natives) {
    if (Components().FindNative(native.qualified)) continue;
    const EventComplaint why = Complaint();
    EventComplaint& complaint = Complaint();
    complaint.Clear();
    complaint.Add(definition->name).Add(" uses ").Add(native.qualified);
    complaint.Add(": ").Add(why.view());
    return true;
  }
  return false;
}

int PresetEvents::CountAvailable() {
  int available = 0;
  for (std::size_t i = 0; i < kStandardPresetCount; ++i) {
    const ResolvedPreset* preset = Find(static_cast<int>(kPresetBit | i));
    available += preset && IsAvailable(*preset);
  }
  return available;
}

std::size_t PresetEvents::UserEventCount() {
  const PresetTable* table = Table();
  return table ? table->UserEventCount() : 0;
}

/// Only PAPI_CSV_EVENT_FILE, PAPI_USER_EVENTS_FILE and calls at run time define user events; the
/// calls load the table.
bool PresetEvents::HasUserEvents() {
  if (table_.load(std::memory_order_acquire) == nullptr) {
    return secure_getenv(kOverrideFile) || secure_getenv(kUserEventsFile);
  }
  return UserEventCount() != 0;
}

Result<std::size_t> PresetEvents::LoadUserEvents(const char* path) {
  PresetTable* table = Table();
  if (table == nullptr) {
    return Error{Errc::kConflict, 0, "the presets are being read by another call"};
  }
  if (!table->HasPmus()) table->SetPmus(PmusOfThisMachine());
  // Complaints of this file are those that are added by this call. On a failure the first of them
  // becomes the message; the others, and those of a successful call, go to stderr.
  const std::size_t before = FileComplaints().size();
  Result<std::size_t> loaded = table->LoadUserEvents(path);
  const std::vector<std::string> wrong = FileComplaints();
  if (!loaded && wrong.size() > before) Complaint().Add(wrong[before]);
  for (std::size_t i = before + !loaded; i < wrong.size(); ++i) SayAside(wrong[i]);
  if (loaded) {
    const FutexHolding holding(lock_, OwnTid());
    if (holding.held()) user_files_.emplace_back(path);
  }
  return loaded;
}

const char* PresetEvents::UserEventsFile() {
  const FutexHolding holding(lock_, OwnTid());
  if (!holding.held()) return nullptr;
  // The file of the environment has no entry, since the table reads it without LoadUserEvents.
  if (user_files_.empty()) {
    const std::string file = Environment(kUserEventsFile);
    if (file.empty()) return nullptr;
    user_files_.push_back(file);
  }
  return user_files_.back().c_str();
}

int PresetEvents::Define(std::span<const PresetRequest> requests, bool replace,
                         DefineFailure& failure, std::vector<std::uint32_t>* codes) {
  PresetTable* table = Table();
  if (table == nullptr) {
    failure.sentence = "the presets are being read by another call";
    return kBusy;
  }
  return table->DefineAll(requests, replace, failure, codes) ? PAPI_OK : AnswerTo(failure.kind);
}

void PresetEvents::BeforeFork() noexcept { over_fork_.BeforeFork(OwnTid()); }

void PresetEvents::Reset() noexcept {
  const FutexHolding holding(lock_, OwnTid());
  if (!holding.held()) return;  // a handler that interrupted the reading of the tables
  table_.store(nullptr, std::memory_order_release);
  // Other threads may still use pointers that they got from the table.
  Retire(std::move(owned_));
  Retire(std::make_shared<decltype(resolved_)>(std::exchange(resolved_, {})));
  user_files_.clear();
}

}  // namespace csink::papi

#include "core/counting/presets/definition_builder.h"

#include <algorithm>
#include <utility>

#include "core/counting/presets/standard_presets.h"

// File: a base is looked up as an event of the file, then as an event of the table, and is
// otherwise a native. Statements whose bases are all natives (nearly all lines of the tables) take
// a short way. For others the natives of all bases are merged without repetition, and each base's
// formula is put in the place of its native in the statement's formula (Formula::Compose). Parts of
// several kinds of cores are joined in Finish, when all of them are known.

namespace csink {
namespace {

// The formula of a base that is a native: its only count.
const Formula kFirstNative;
constexpr std::string_view kPresetPrefix = "PAPI_";

bool NamesItsPmu(std::string_view native) noexcept {
  return native.find("::") != std::string_view::npos;
}

// The position of a native by its full name; natives.end(): the event has no such native.
std::vector<PresetNative>::const_iterator FindNative(const PresetNative& native,
                                                     const std::vector<PresetNative>& natives) {
  return std::find_if(natives.begin(), natives.end(), [&](const PresetNative& other) {
    return other.qualified == native.qualified;
  });
}

/// The index of `native` in `natives`; appended if it is not there. At most 144 natives (twelve
/// bases of twelve) are merged before the limit is checked, so 8 bits are enough.
std::uint8_t PlaceOf(const PresetNative& native, std::vector<PresetNative>& natives) {
  const auto found = FindNative(native, natives);
  const auto place = static_cast<std::uint8_t>(found - natives.cbegin());
  if (found == natives.cend()) natives.push_back(native);
  return place;
}

// Whether two drafts count the same on the same natives. Texts are not compared.
bool SameCount(const PresetDraft& a, const PresetDraft& b) {
  return a.formula.Postfix() == b.formula.Postfix() &&
         std::equal(a.natives.begin(), a.natives.end(), b.natives.begin(), b.natives.end(),
                    [](const PresetNative& x, const PresetNative& y) {
                      return x.qualified == y.qualified;
                    });
}

// A rate divides by the cycles of its own PMU.
bool IsRate(Derivation derivation) noexcept {
  return derivation == Derivation::kPs || derivation == Derivation::kAddPs;
}

// Such parts add up to a plain sum, which needs no formula.
bool IsPlainSum(Derivation derivation) noexcept {
  return derivation == Derivation::kNotDerived || derivation == Derivation::kAdd;
}

/// The natives of several bases without repetition, and each base's formula with its new numbers.
struct Merged {
  std::vector<PresetNative> natives;
  std::vector<const Formula*> formulas;
  std::vector<std::vector<std::uint8_t>> renumbered;

  void Take(const Formula& formula, std::span<const PresetNative> of_base) {
    formulas.push_back(&formula);
    std::vector<std::uint8_t>& places = renumbered.emplace_back();
    for (const PresetNative& native : of_base) places.push_back(PlaceOf(native, natives));
  }
};

}  // namespace

Result<void> DefinitionBuilder::Add(const PresetStatement& statement,
                                    std::span<const std::size_t> pmus, std::string& sentence,
                                    std::string_view* culprit) {
  if (pmus.empty()) return AddPart(statement, kAnyPmu, sentence, culprit);
  for (std::size_t pmu : pmus) {
    if (Result<void> added = AddPart(statement, pmu, sentence, culprit); !added) return added;
  }
  return {};
}

// Also replaces an earlier part of the same PMU, so that a later line of a file wins.
Result<void> DefinitionBuilder::AddPart(const PresetStatement& statement, std::size_t pmu,
                                        std::string& sentence, std::string_view* culprit) {
  PresetDraft draft;
  if (Result<void> ok = Resolve(statement, pmu, draft, sentence, culprit); !ok) return ok;
  draft.name = statement.name;
  draft.short_description = statement.short_description;
  draft.long_description = statement.long_description;
  draft.note = statement.note;

  const auto [at, is_new] = index_.try_emplace(draft.name, entries_.size());
  if (is_new) entries_.emplace_back();
  // From now on names without "PAPI_" may be events.
  has_other_names_ |= !statement.name.starts_with(kPresetPrefix);
  std::vector<Part>& parts = entries_[at->second].parts;
  const auto same =
      std::find_if(parts.begin(), parts.end(), [pmu](const Part& part) { return part.pmu == pmu; });
  if (same != parts.end()) {
    same->draft = std::move(draft);
  } else {
    parts.push_back({pmu, std::move(draft)});
  }
  return {};
}

PresetNative DefinitionBuilder::NativeOf(std::string_view base, std::size_t pmu) const {
  PresetNative native;
  if (pmu != kAnyPmu && !NamesItsPmu(base)) {
    native.qualified.reserve(present_[pmu].name.size() + 2 + base.size());
    native.qualified.append(present_[pmu].name).append("::");
    native.shown_from = native.qualified.size();
  }
  native.qualified.append(base);
  return native;
}

bool DefinitionBuilder::FindBase(std::string_view name, std::size_t pmu, Base& base) const {
  // Most natives of a table are no events; this saves two look-ups for each of them.
  if (!has_other_names_ && !name.starts_with(kPresetPrefix)) return false;
  if (const auto found = index_.find(name); found != index_.end()) {
    for (const Part& part : entries_[found->second].parts) {
      // A part for any machine serves each PMU.
      if (part.pmu != pmu && part.pmu != kAnyPmu) continue;
      base = {&part.draft.formula, part.draft.derivation, part.draft.natives};
      return true;
    }
  }
  // Looked for last: an event of this file replaces an earlier one of the same name.
  if (const PresetDefinition* earlier = find_earlier_(name)) {
    base = {&earlier->formula, earlier->derivation, earlier->natives};
    return true;
  }
  return false;
}

// Handles the common case: all bases are native events, all different. Returns false in other
// cases.
bool DefinitionBuilder::TakeNatives(const PresetStatement& statement, std::size_t pmu,
                                    PresetDraft& draft) const {
  Base base{};
  for (std::string_view name : statement.bases) {
    // No native event is called PAPI_...; such a name is a preset, possibly misspelled.
    if (name.starts_with(kPresetPrefix) || FindBase(name, pmu, base)) return false;
  }
  draft.natives.reserve(statement.bases.size());
  for (std::string_view name : statement.bases) {
    PresetNative native = NativeOf(name, pmu);
    // A native that is given twice needs a formula with two equal numbers, which Resolve makes.
    if (FindNative(native, draft.natives) != draft.natives.end()) return false;
    draft.natives.push_back(std::move(native));
  }
  draft.formula = statement.formula;
  return true;
}

Result<void> DefinitionBuilder::Resolve(const PresetStatement& statement, std::size_t pmu,
                                        PresetDraft& draft, std::string& sentence,
                                        std::string_view* culprit) const {
  // The notation of a formula is not kept: PAPI_event_info_t has postfix only.
  draft.derivation =
      statement.derivation == Derivation::kInfix ? Derivation::kPostfix : statement.derivation;
  if (TakeNatives(statement, pmu, draft)) return {};
  Merged merged;
  Base base{};
  // In the order of the statement: the error names the first base that is wrong.
  for (std::string_view name : statement.bases) {
    if (culprit) *culprit = name;
    if (FindBase(name, pmu, base)) {
      merged.Take(*base.formula, base.natives);
    } else if (StandardPresetIndex(name) < kStandardPresetCount) {
      // A preset that neither this file nor an earlier one defines.
      sentence = std::string(name) + " has no definition on this machine, so " +
                 std::string(statement.name) + " cannot be defined";
      return Error{Errc::kNotFound, 0, "preset without a definition"};
    } else if (name.starts_with(kPresetPrefix)) {
      sentence = Quoted(name) + " is not known" + NearestHint(NearestStandardPreset(name));
      return Error{Errc::kNotFound, 0, "unknown preset"};
    } else {
      const PresetNative native = NativeOf(name, pmu);
      merged.Take(kFirstNative, {&native, 1});
    }
  }
  if (merged.natives.size() > kMaxFormulaNatives) {
    sentence = std::string(statement.name) + " needs " + std::to_string(merged.natives.size()) +
               " native events, more than " + std::to_string(kMaxFormulaNatives);
    return Error{Errc::kLimit, 0, "too many native events"};
  }
  Result<Formula> whole = statement.formula.Compose(merged.formulas, merged.renumbered);
  if (!whole) {
    sentence = std::string(statement.name) + ": " + whole.error().what;
    return whole.error();
  }
  // "NOT_DERIVED" over another event gives that event a second name, with its derivation.
  const bool is_alias = statement.derivation == Derivation::kNotDerived;
  draft.derivation = is_alias ? base.derivation : Derivation::kPostfix;
  draft.formula = std::move(*whole);
  draft.natives = std::move(merged.natives);
  // A formula that was reduced to N0 gets a derivation that says so. With more natives than one it
  // is DERIVED_CMPD, whose other natives only program N0's counter.
  if (draft.formula.IsFirstNative()) {
    draft.derivation = draft.natives.size() == 1 ? Derivation::kNotDerived : Derivation::kCmpd;
  }
  return {};
}

std::vector<PresetDraft> DefinitionBuilder::Finish() {
  std::vector<PresetDraft> drafts;
  drafts.reserve(entries_.size());
  for (Entry& entry : entries_) drafts.push_back(Join(entry));
  entries_.clear();
  index_.clear();
  return drafts;
}

// A PMU counts a thread only while the thread runs on a core of its kind, so the parts are added
// up. If that is impossible, the first of them is taken, and the note says which cores are counted.
PresetDraft DefinitionBuilder::Join(Entry& entry) const {
  std::vector<Part*> parts;
  const auto is_core = [this](const Part& part) {
    return part.pmu != kAnyPmu && present_[part.pmu].is_core;
  };
  for (Part& part : entry.parts) {
    if (is_core(part)) parts.push_back(&part);
  }
  // Parts of other PMUs serve only where no core PMU has the event. The latest one counts.
  if (parts.empty()) return std::move(entry.parts.back().draft);
  const auto cores = static_cast<std::size_t>(std::count_if(
      present_.begin(), present_.end(), [](const PresentPmu& pmu) { return pmu.is_core; }));
  if (cores == 1) return std::move(parts[0]->draft);
  // In the order of the PMUs, whatever the order of the lines.
  std::sort(parts.begin(), parts.end(),
            [](const Part* a, const Part* b) { return a->pmu < b->pmu; });

  // A section for several PMUs whose natives state a PMU gives equal parts, which must be counted
  // once.
  std::vector<Part*> distinct;
  for (Part* part : parts) {
    const bool repeated = std::any_of(distinct.begin(), distinct.end(), [part](const Part* other) {
      return SameCount(part->draft, other->draft);
    });
    if (!repeated) distinct.push_back(part);
  }
  PresetDraft sum;
  const bool is_sum = distinct.size() > 1 && AddUp(distinct, sum);
  std::vector<Part*> counted = is_sum ? parts : std::vector<Part*>{distinct[0]};
  if (distinct.size() == 1) counted = parts;  // equal on all core PMUs
  if (!is_sum) sum = std::move(distinct[0]->draft);
  // Natives that state their PMU say by themselves what is counted.
  const bool covers_all =
      counted.size() == cores || (!is_sum && NamesItsPmu(sum.natives[0].shown()));
  if (!covers_all || (!is_sum && distinct.size() > 1)) {
    if (!sum.note.empty()) sum.note += "; ";
    sum.note += "counted on cores of " + NamesOf(counted) + " only";
    sum.note.resize(std::min(sum.note.size(), kMaxNoteBytes));
  }
  return sum;
}

// `parts` are of different PMUs, in their order; at least two.
bool DefinitionBuilder::AddUp(std::vector<Part*>& parts, PresetDraft& sum) const {
  Merged merged;
  bool plain = true;
  std::size_t total = 0;
  for (const Part* part : parts) {
    total += part->draft.natives.size();
    if (IsRate(part->draft.derivation)) return false;  // rates over two clocks cannot be added
    // Only sums and single natives leave the formula a plain sum.
    plain &= IsPlainSum(part->draft.derivation);
    merged.Take(part->draft.formula, part->draft.natives);
  }
  if (merged.natives.size() > kMaxFormulaNatives) return false;
  FormulaComplaint complaint;
  const Result<Formula> add = Formula::Parse(Derivation::kAdd, {}, parts.size(), complaint);
  if (!add) return false;
  Result<Formula> whole = add->Compose(merged.formulas, merged.renumbered);
  if (!whole) return false;
  // A native of two parts was merged and counts twice; then only the composed formula is right.
  plain &= merged.natives.size() == total;
  if (plain) whole = Formula::Parse(Derivation::kAdd, {}, merged.natives.size(), complaint);
  if (!whole) return false;
  sum = parts[0]->draft;
  sum.derivation = plain ? Derivation::kAdd : Derivation::kPostfix;
  sum.formula = std::move(*whole);
  sum.natives = std::move(merged.natives);
  for (PresetNative& native : sum.natives)
    native.shown_from = 0;  // shown with the PMU: the same name twice would be unclear
  return true;
}

std::string DefinitionBuilder::NamesOf(const std::vector<Part*>& parts) const {
  std::string names;
  for (const Part* part : parts) {
    if (!names.empty()) names += ", ";
    names += present_[part->pmu].name;
  }
  return names;
}

}  // namespace csink

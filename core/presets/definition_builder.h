#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/presets/complaint_list.h"
#include "core/presets/name_hash.h"
#include "core/presets/preset_definition.h"
#include "core/presets/preset_statement.h"

namespace csink {

/// What a definition will say, before it has a code.
struct PresetDraft {
  std::string name;
  Derivation derivation = Derivation::kNotDerived;
  std::vector<PresetNative> natives;
  Formula formula;
  std::string short_description;
  std::string long_description;
  std::string note;
};

/// Turns the statements of one file into drafts: finds natives behind presets and user
/// events, tells the PMUs' parts apart and adds them up (preset_table.h says how).
/// Threads: one at a time.
class DefinitionBuilder {
 public:
  /// Finds a definition that was made before this file; nullptr: none.
  using FindEarlier = std::function<const PresetDefinition*(std::string_view name)>;

  /// `has_user_events`: find_earlier knows names that do not begin with "PAPI_".
  DefinitionBuilder(std::span<const PresentPmu> present, FindEarlier find_earlier,
                    bool has_user_events)
      : present_(present),
        find_earlier_(std::move(find_earlier)),
        has_other_names_(has_user_events) {}

  /// Takes a checked statement for `pmus` (indexes of `present`; empty: any machine).
  /// Later statements on the same event and PMU replace earlier ones.
  /// Errors, `sentence` says what: kNotFound (a base that has no meaning here; it is left in
  /// `culprit`, if given), kLimit.
  Result<void> Add(const PresetStatement& statement, std::span<const std::size_t> pmus,
                   std::string& sentence, std::string_view* culprit = nullptr);

  /// The result, in the order in which the names appeared first.
  std::vector<PresetDraft> Finish();

 private:
  static constexpr std::size_t kAnyPmu = static_cast<std::size_t>(-1);

  /// What one PMU counts for an event.
  struct Part {
    std::size_t pmu = kAnyPmu;
    PresetDraft draft;
  };
  /// Lets the index be asked with a view.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return NameHash(name); }
  };
  struct Entry {
    std::vector<Part> parts;
  };
  /// A base as natives and a formula over them.
  struct Base {
    const Formula* formula;
    Derivation derivation;
    std::span<const PresetNative> natives;
  };

  Result<void> AddPart(const PresetStatement& statement, std::size_t pmu, std::string& sentence,
                       std::string_view* culprit);
  PresetNative NativeOf(std::string_view base, std::size_t pmu) const;
  bool TakeNatives(const PresetStatement& statement, std::size_t pmu, PresetDraft& draft) const;
  bool FindBase(std::string_view name, std::size_t pmu, Base& base) const;
  Result<void> Resolve(const PresetStatement& statement, std::size_t pmu, PresetDraft& draft,
                       std::string& sentence, std::string_view* culprit) const;
  PresetDraft Join(Entry& entry) const;
  bool AddUp(std::vector<Part*>& parts, PresetDraft& sum) const;
  std::string NamesOf(const std::vector<Part*>& parts) const;

  std::span<const PresentPmu> present_;
  FindEarlier find_earlier_;
  bool has_other_names_;  ///< Spares a look-up for each native of a file without user events
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
};

}  // namespace csink

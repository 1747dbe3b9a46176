#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/counting/presets/complaint_list.h"
#include "core/counting/presets/name_hash.h"
#include "core/counting/presets/preset_definition.h"
#include "core/counting/presets/preset_statement.h"

namespace csink {

/// A definition before it gets its code. The members are those of PresetDefinition.
struct PresetDraft {
  std::string name;
  /// kInfix does not occur: the formula is the same as in postfix notation.
  Derivation derivation = Derivation::kNotDerived;
  /// All different, in the order of the formula's numbers.
  std::vector<PresetNative> natives;
  Formula formula;
  /// As in the file; "" where it has none.
  std::string short_description;
  std::string long_description;
  std::string note;
};

/// Turns the statements of one file into drafts: replaces presets and user events by their natives,
/// separates the parts of the PMUs and adds them up (preset_table.h states the rules). An event may
/// be made of events that stand before it in the file, or of events of earlier files.
/// Owns:    the parts; `present` must outlive it. Threads: one at a time. Signals: not safe (heap).
class DefinitionBuilder {
 public:
  /// Finds a definition made before this file; nullptr: there is none. The result must live until
  /// Finish.
  using FindEarlier = std::function<const PresetDefinition*(std::string_view name)>;

  /// `present`: the PMUs of this machine, by whose position PMUs are numbered here.
  /// `has_user_events`: find_earlier knows names that do not begin with "PAPI_", too.
  DefinitionBuilder(std::span<const PresentPmu> present, FindEarlier find_earlier,
                    bool has_user_events)
      : present_(present),
        find_earlier_(std::move(find_earlier)),
        has_other_names_(has_user_events) {}

  /// Takes a checked statement for the PMUs `pmus` (indices in `present`; empty: for any machine).
  /// A later statement for the same event and PMU replaces an earlier one. After an error the
  /// statement defines nothing for the PMU that failed; parts for PMUs before it stay.
  /// Errors: kNotFound (a base without meaning on this machine; stored in `*culprit` if that is not
  /// null), kLimit (too many natives, too long a formula); with a sentence in `sentence`.
  Result<void> Add(const PresetStatement& statement, std::span<const std::size_t> pmus,
                   std::string& sentence, std::string_view* culprit = nullptr);

  /// The drafts, one for each name, in the order in which their names first appeared. Leaves the
  /// builder empty.
  std::vector<PresetDraft> Finish();

 private:
  /// The "PMU" of sections for any machine and of natives that state no PMU.
  static constexpr std::size_t kAnyPmu = static_cast<std::size_t>(-1);

  /// The definition of an event for one PMU. The PMU is an index in present_, or kAnyPmu.
  struct Part {
    std::size_t pmu = kAnyPmu;
    PresetDraft draft;
  };
  /// A hash that accepts string_view keys without a copy.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return NameHash(name); }
  };
  /// One event: a part for each PMU that defines it.
  struct Entry {
    std::vector<Part> parts;
  };
  /// A base of a statement: its natives and the formula over them. Points into a part or into an
  /// earlier definition.
  struct Base {
    const Formula* formula;
    Derivation derivation;
    std::span<const PresetNative> natives;
  };

  /// Resolves the statement for one PMU and stores the part.
  Result<void> AddPart(const PresetStatement& statement, std::size_t pmu, std::string& sentence,
                       std::string_view* culprit);
  /// The name of a native for `pmu`: with "pmu::" added where the name states no PMU.
  PresetNative NativeOf(std::string_view base, std::size_t pmu) const;
  /// Fills the draft where all bases are natives, all different. Returns false if they are not,
  /// with a draft that is to be thrown away.
  bool TakeNatives(const PresetStatement& statement, std::size_t pmu, PresetDraft& draft) const;
  /// Finds a base that is itself an event of this file (for `pmu`, or for any machine) or of the
  /// table. Returns false if the name is neither, and so a native event.
  bool FindBase(std::string_view name, std::size_t pmu, Base& base) const;
  /// Replaces all bases of a statement by natives and composes the formula. Errors as Add.
  Result<void> Resolve(const PresetStatement& statement, std::size_t pmu, PresetDraft& draft,
                       std::string& sentence, std::string_view* culprit) const;
  /// Combines the parts of the PMUs into one draft, which takes the parts' contents.
  PresetDraft Join(Entry& entry) const;
  /// The sum of the parts. Returns false if they cannot be added up: rates, or a result beyond the
  /// limits of a formula.
  bool AddUp(std::vector<Part*>& parts, PresetDraft& sum) const;
  /// "adl_glc, adl_grt": the names of the parts' PMUs, for a note.
  std::string NamesOf(const std::vector<Part*>& parts) const;

  std::span<const PresentPmu> present_;
  FindEarlier find_earlier_;
  bool has_other_names_;  ///< False saves a look-up for each native of a file without user events
  /// In the order in which the names first appeared.
  std::vector<Entry> entries_;
  /// Position in entries_ by name.
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
};

}  // namespace csink

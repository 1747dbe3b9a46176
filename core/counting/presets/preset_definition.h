#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting/presets/formula.h"

/// File: the definition of a preset or user event on this machine: what it counts (native events),
/// how the value is computed (formula), and its texts.

namespace csink {

/// A PMU that libpfm4 found on this machine. Presets are looked up by the PMUs' names, and summed
/// over the PMUs of cores.
struct PresentPmu {
  std::string name;      ///< libpfm4's name, "skx"
  bool is_core = false;  ///< PFM_PMU_TYPE_CORE: it counts what a CPU executes
};

/// One native event of a definition, under the name that is looked up and the name that the file
/// has.
struct PresetNative {
  std::string qualified;  ///< The unambiguous name for libpfm4: "skx::INST_RETIRED:ANY_P"
  /// Offset of the name as the file wrote it: behind "pmu::" where that was added, otherwise 0.
  std::size_t shown_from = 0;
  /// Valid as long as this object and its name are unchanged.
  std::string_view shown() const noexcept { return std::string_view(qualified).substr(shown_from); }
};

/// What a preset or user event counts.
/// Owns:    its texts. Threads: immutable after EventIndex::Install, except for the atomics. It
/// lives as long as the table, also after a later definition has replaced it, because an event set
/// may use it.
struct PresetDefinition {
  /// With case; unique in the table.
  std::string name;
  /// kPresetMask | index or kUserEventMask | number; set by EventIndex::Install.
  std::uint32_t code = 0;
  std::uint32_t classes = 0;  ///< PresetClass bits; 0 for user events
  /// As the file states it; an infix formula is kPostfix here.
  Derivation derivation = Derivation::kNotDerived;
  /// The formula in postfix notation; "" unless the derivation is kPostfix.
  std::string postfix;
  std::vector<PresetNative> natives;  ///< 1 .. kMaxFormulaNatives
  Formula formula;                    ///< Over the counts of `natives`, in their order
  /// The file's, else the standard preset's; may be empty for user events.
  std::string short_description;
  std::string long_description;
  /// The file's note, and which kinds of cores are counted where not all are.
  std::string note;

  /// Not copied: an event's uses are counted in the object.
  PresetDefinition() = default;
  PresetDefinition(const PresetDefinition&) = delete;
  PresetDefinition& operator=(const PresetDefinition&) = delete;

  /// Whether a DefinitionUse of it exists that is not suspended.
  bool in_use() const noexcept { return users_.load(std::memory_order_relaxed) != 0; }

 private:
  friend class PresetTable;
  friend class DefinitionUse;
  /// The answer of IsAvailable. Two threads may find it at the same time; both store the same.
  enum class Availability : std::uint8_t { kUnknown, kYes, kNo };
  mutable std::atomic<Availability> availability_{Availability::kUnknown};
  /// Number of uses (DefinitionUse).
  mutable std::atomic<std::uint32_t> users_{0};
};

}  // namespace csink

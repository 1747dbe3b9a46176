#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/presets/formula.h"

/// File: the definition of a preset or user event on this machine.

namespace csink {

/// A PMU that libpfm4 found on this machine.
struct PresentPmu {
  std::string name;      ///< libpfm4's name, "skx"
  bool is_core = false;  ///< PFM_PMU_TYPE_CORE: it counts what a CPU executes
};

/// One native event of a definition.
struct PresetNative {
  std::string qualified;       ///< The unambiguous name for libpfm4: "skx::INST_RETIRED:ANY_P"
  std::size_t shown_from = 0;  ///< Offset of the name as the file wrote it
  std::string_view shown() const noexcept { return std::string_view(qualified).substr(shown_from); }
};

/// What a preset or user event counts.
/// Owns:    its texts. Threads: immutable after it was installed, except for the atomics. It lives
///          as long as the table, also after a later definition has replaced it, because an event
///          set may use it.
struct PresetDefinition {
  std::string name;
  std::uint32_t code = 0;
  std::uint32_t classes = 0;  ///< PresetClass bits; 0 for user events
  Derivation derivation = Derivation::kNotDerived;
  std::string postfix;  ///< The formula in postfix notation; "" unless kPostfix or kInfix
  std::vector<PresetNative> natives;  ///< 1 .. kMaxFormulaNatives
  Formula formula;                    ///< Over the counts of `natives`, in their order
  std::string short_description;
  std::string long_description;
  std::string note;

  PresetDefinition() = default;
  PresetDefinition(const PresetDefinition&) = delete;
  PresetDefinition& operator=(const PresetDefinition&) = delete;

  /// Whether a DefinitionUse of it exists.
  bool in_use() const noexcept { return users_.load(std::memory_order_relaxed) != 0; }

 private:
  friend class PresetTable;
  friend class DefinitionUse;
  enum class Availability : std::uint8_t { kUnknown, kYes, kNo };
  mutable std::atomic<Availability> availability_{Availability::kUnknown};
  mutable std::atomic<std::uint32_t> users_{0};
};

}  // namespace csink

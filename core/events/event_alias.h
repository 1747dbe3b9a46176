#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

/// File: the events that need no library: what perf itself knows by short names.
/// Signals: safe.

namespace csink {

/// One event of the kernel's own numbering.
struct EventAlias {
  std::string_view name;         ///< The canonical one, "cycles"
  std::string_view other;        ///< perf's second name, "cpu-cycles", or empty
  std::string_view kernel_name;  ///< "PERF_COUNT_HW_CPU_CYCLES"
  std::string_view what;         ///< One line for people
  std::uint32_t type;
  std::uint64_t config;
  EventClass kind;
  std::uint64_t default_period;  ///< 0: kDefaultCounterHz, as all that needs a counter
  /// The kernel counts these while it runs itself: with exclude_kernel they stay 0.
  bool in_kernel_only = false;
};

const EventAlias* AliasesBegin() noexcept;
const EventAlias* AliasesEnd() noexcept;

/// By any of its names, in any case; nullptr: none.
const EventAlias* FindAlias(std::string_view name) noexcept;

/// By the kernel's numbers; nullptr: none.
const EventAlias* FindAlias(std::uint32_t type, std::uint64_t config) noexcept;

/// perf's raw spelling: r and 1 to 16 hexadecimal digits.
bool ParseRawEvent(std::string_view name, std::uint64_t& config) noexcept;

/// What a native event ("INST_RETIRED:ANY_P", without PMU and modifiers) counts,
/// by its vendor's name; kOther when it is not one of the known.
EventClass ClassOfNativeEvent(std::string_view name) noexcept;

bool EqualsIgnoringCase(std::string_view a, std::string_view b) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"
#include "core/util/inline_text.h"

/// File: the events that need no library: those to which perf and the kernel give short names. A
/// look-up compares all names in turn; the table has about 20 lines.
/// Threads: any. Signals: safe.

namespace csink {

/// One event of the kernel's own numbering (perf_event_open(2), PERF_TYPE_HARDWARE and
/// PERF_TYPE_SOFTWARE).
struct EventAlias {
  InlineText<24> name;         ///< The canonical name, "cycles"
  InlineText<22> other;        ///< perf's second name, "cpu-cycles"; "": none
  InlineText<38> kernel_name;  ///< "PERF_COUNT_HW_CPU_CYCLES"
  InlineText<52> what;         ///< A description for users, one line
  std::uint32_t type;
  std::uint64_t config;
  EventClass kind;
  /// The period where the user gives no rate: in ns for a clock, otherwise in events. 0: sampled at
  /// kDefaultCounterHz, as events of the PMU are.
  std::uint64_t default_period;
  /// The event occurs in kernel mode only: with exclude_kernel it stays 0.
  bool in_kernel_only = false;
};

/// The table of all aliases, as a range: begin is the first alias, end is behind the last.
const EventAlias* AliasesBegin() noexcept;
const EventAlias* AliasesEnd() noexcept;

/// Finds an alias by its name, by perf's second name or by the kernel's name, in upper or lower
/// case. nullptr: no alias has that name; the empty name is none.
const EventAlias* FindAlias(std::string_view name) noexcept;

/// Finds an alias by perf_event_attr.type and config, for events that were encoded by libpfm4 or by
/// sysfs. nullptr: there is none.
const EventAlias* FindAlias(std::uint32_t type, std::uint64_t config) noexcept;

/// Parses perf's spelling of a raw event: 'r' in lower case and 1 to 16 hexadecimal digits. Stores
/// the number in `config` and returns true. Returns false, with `config` unchanged, if `name` has
/// another form.
bool ParseRawEvent(std::string_view name, std::uint64_t& config) noexcept;

/// What a native event counts, by its vendor's name without PMU and modifiers
/// ("INST_RETIRED:ANY_P"), without regard to case. kOther: not one of the known names.
EventClass ClassOfNativeEvent(std::string_view name) noexcept;

/// Compares ASCII texts without regard to case.
bool EqualsIgnoringCase(std::string_view a, std::string_view b) noexcept;

}  // namespace csink

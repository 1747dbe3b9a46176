#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"
#include "core/util/result.h"
#include "core/util/text.h"

/// File: events in perf's spelling ("cpu/event=0x76,umask=1/", "msr/tsc/"), encoded by the kernel's
/// description of its PMUs below /sys/bus/event_source/devices (Documentation/ABI:
/// sysfs-bus-event_source-devices-format and -events):
///   type         perf_event_attr.type
///   format/TERM  "config:0-7,32-35": the bits of config, config1 or config2 that a term's value
///                fills, lowest bit first
///   events/NAME  "event=0x3c,umask=0x00": terms under one name; with NAME.scale and NAME.unit
///                beside it
///   cpumask      the processors on which a socket's PMU is opened; absent: the PMU counts threads
/// Lean. Threads: any. Signals: not safe (opens files).

namespace csink {

/// One event of a PMU that sysfs describes, encoded. Owns its texts except `modifiers`.
struct SysfsEvent {
  /// The name of the PMU's folder.
  Text<64> pmu;
  /// perf_event_attr.type
  std::uint32_t type = 0;
  /// The bits that the terms set; bits of terms that are not given are 0.
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t period = 0;  ///< The value of the term period=; 0: not given
  bool socket_wide = false;  ///< Its PMU has a cpumask
  /// The first processor of the cpumask; -1: the PMU has no cpumask, or an empty one.
  int cpu = -1;
  /// A count times this is in `unit`, as the kernel's file has it (a decimal number); "": 1.
  Text<32> scale;
  /// The unit of a scaled count, "Joules"; "": events.
  Text<32> unit;
  /// The text after the second '/': "u", ":u". Points into the name that was encoded. The caller
  /// reads it.
  std::string_view modifiers;
};

/// Whether the name is in perf's spelling: it contains a '/', which no other spelling has.
bool IsSysfsName(std::string_view name) noexcept;

/// Takes the first event of a list; `list` is then the rest, without the comma. Commas between two
/// '/' belong to the event ("cpu/event=1,umask=2/,cycles" has two). After a '/' without a second
/// one each comma ends an event.
std::string_view NextListedEvent(std::string_view& list) noexcept;

/// The bits of a config word that a term fills.
struct SysfsField {
  unsigned word = 0;       ///< 0: config, 1: config1, 2: config2
  std::uint64_t mask = 0;  ///< Filled from the lowest bit on
};

/// Parses the text of a file in format/, without its newline. Bit ranges must ascend. Errors:
/// kInvalid: another word than config, config1, config2; no bits; a bit above 63; overlapping or
/// descending ranges.
Result<SysfsField> ParseSysfsFormat(std::string_view text) noexcept;

/// Reads perf_event_attr.type of a PMU below the folder `devices`. Returns false, with `type`
/// unchanged, if the kernel has no PMU of that name. Signals: safe.
bool ReadPmuType(const char* devices, std::string_view pmu, std::uint32_t& type) noexcept;

/// Encodes an event "pmu/terms/modifiers". Opens three to six small files: nothing is cached, and
/// no other format of the PMU is read. `devices`: the folder of PMUs; tests pass another.
/// Errors: each with a sentence in `complaint`: kNoEvent (the kernel has no such PMU, event or
/// term), kInvalid (not perf's syntax, a value that does not fit its field, two terms for the same
/// bit), kUnsupported (a format file that cannot be understood, a value of the kernel's own file
/// that does not fit).
Result<SysfsEvent> EncodeSysfsEvent(std::string_view name, EventComplaint& complaint,
                                    const char* devices = "/sys/bus/event_source/devices") noexcept;

}  // namespace csink

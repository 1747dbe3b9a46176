#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"
#include "core/util/result.h"
#include "core/util/text.h"

/// File: events in perf's spelling, "cpu/event=0x76,umask=1/", "msr/tsc/", by what the kernel tells
/// of its PMUs below /sys/bus/event_source/devices (Documentation/ABI:
/// sysfs-bus-event_source-devices- format and -events):
///   type          perf_event_attr.type
///   format/TERM   "config:0-7,32-35": the bits of config, config1 or config2 that a term's value
///                 fills, lowest first
///   events/NAME   "event=0x3c,umask=0x00": terms under one name; NAME.scale and NAME.unit beside
///   it cpumask       the processors on which a PMU of a socket is opened; absent: it counts
///   threads
/// Lean. Threads: any. Signals: not safe (it opens files).

namespace csink {

/// One event of a PMU that sysfs describes.
struct SysfsEvent {
  Text<64> pmu;
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  std::uint64_t period = 0;    ///< The term period=; 0: not given
  bool socket_wide = false;    ///< Its PMU has a cpumask
  int cpu = -1;                ///< The first processor of that mask
  Text<32> scale;              ///< A count times this is in `unit`; empty: 1
  Text<32> unit;               ///< "Joules"; empty: events
  std::string_view modifiers;  ///< What stands behind the second '/': "u", ":u"
};

/// True for a name in perf's spelling: it has a '/'.
bool IsSysfsName(std::string_view name) noexcept;

/// The first event of a list and its rest: the commas between two '/' belong to the event.
std::string_view NextListedEvent(std::string_view& list) noexcept;

/// Bits of a config word that a term fills, in the order of the value's bits.
struct SysfsField {
  unsigned word = 0;  ///< 0: config, 1: config1, 2: config2
  std::uint64_t mask = 0;
};

/// Reads the text of a file below format/. Errors: kInvalid.
Result<SysfsField> ParseSysfsFormat(std::string_view text) noexcept;

/// perf_event_attr.type of a PMU. False: the kernel has none of that name.
bool ReadPmuType(const char* devices, std::string_view pmu, std::uint32_t& type) noexcept;

/// Errors, each with one line in `complaint`: kNoEvent (the kernel has no such PMU, event or term),
/// kInvalid (not perf's syntax, a value that is too large for its field, two terms for one bit),
/// kUnsupported (a format file that cannot be read).
Result<SysfsEvent> EncodeSysfsEvent(std::string_view name, EventComplaint& complaint,
                                    const char* devices = "/sys/bus/event_source/devices") noexcept;

}  // namespace csink

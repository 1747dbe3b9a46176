#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"
#include "core/util/text.h"

/// File: hybrid processors, which have two or three kinds of cores (Intel since Alder Lake). Each
/// kind has a PMU of its own. An event of one kind counts nothing while the thread runs on a core
/// of another kind, so a generic event is opened once for each kind, and their samples are added up
/// in one column.

namespace csink {

/// The kinds of cores of this machine. Plain data.
struct CoreKinds {
  static constexpr std::size_t kMost = 3;
  /// perf_event_attr.type of each kind's PMU, performance cores first.
  std::uint32_t types[kMost] = {};
  std::size_t count = 0;  ///< 0: the processor is not hybrid; never 1
  /// The kernel's name of each kind's PMU.
  std::string_view pmus[kMost] = {};
};

/// Reads the kinds of cores from sysfs; nothing is read where CPUID says that there is one kind.
/// `devices`: the folder of PMUs; tests pass another. Threads: any. Signals: not safe (sysfs).
CoreKinds ReadCoreKinds(const char* devices = "/sys/bus/event_source/devices") noexcept;

/// The events that are opened for a list. The first `columns` are those of the list, in its order:
/// the columns of the report. Behind them are the same events for further kinds of cores.
struct OpenedEvents {
  EventList list;
  std::size_t columns = 0;
  /// By event of `list`: the column that its samples belong to.
  std::uint8_t column[kMaxEventSpecs] = {};
  /// False: there was no room for some kind of cores of some event, whose samples will lack.
  bool complete = true;
};

/// Opens each generic event (PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE) once for each kind of cores:
/// the upper half of config names the PMU (PERF_PMU_TYPE_SHIFT, Linux 5.13). Other events name
/// their PMU themselves. Threads: any; a pure function. Signals: safe.
OpenedEvents OpenForEachKind(const EventList& events, const CoreKinds& kinds) noexcept;

/// A warning about the first event that only one kind of cores counts and whose name does not have
/// the PMU: a raw code, which the kernel takes for the performance cores, or a plain name from a
/// table of events. Empty if there is no such event, because every kind counts it or its name has
/// the PMU ("cpu_atom/...", "adl_grt::..."), or if the processor is not hybrid.
/// Threads: any. Signals: safe.
Text<200> WarningOfMissingCores(const EventList& events, const CoreKinds& kinds) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/events/event_spec.h"
#include "core/util/text.h"

/// File: the kinds of cores of a hybrid processor, and a generic event on each of them. The kernel
/// counts an event of one kind's PMU only while the thread runs on such a core, so that "cycles" is
/// one event a kind. Lean. Threads: any.

namespace csink {

inline constexpr std::size_t kMostCoreKinds = 3;

/// One kind of cores.
struct CoreKind {
  Text<16> pmu;            ///< "cpu_core"
  std::uint32_t type = 0;  ///< perf_event_attr.type of its PMU
};

struct CoreKinds {
  CoreKind kinds[kMostCoreKinds];
  std::size_t count = 0;  ///< 0: all cores are alike
};

/// By sysfs: cpu_core, cpu_atom and cpu_lowpower.
CoreKinds ReadCoreKinds(const char* devices = "/sys/bus/event_source/devices") noexcept;

/// Fills `specs` with `spec` on each kind of cores, named as perf does ("cpu_atom/cycles/"), and
/// returns their number. An event that is the same on all cores (a software event, a native one of
/// one PMU) is given back as it is: 1.
std::size_t SpecsPerKind(const EventSpec& spec, const CoreKinds& cores,
                         EventSpec (&specs)[kMostCoreKinds]) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/events/event_spec.h"
#include "core/util/text.h"

/// File: the kinds of cores of a hybrid processor, and generic events on each of them. The kernel
/// counts an event of one kind's PMU only while the thread runs on such a core, so "cycles" becomes
/// one event for each kind. The total is the sum of these events.
/// Lean. Threads: any; nothing is cached. Signals: safe; ReadCoreKinds opens files by raw system
/// calls and allocates nothing.

namespace csink {

/// The most kinds of cores that are distinguished: as many as ReadCoreKinds knows PMUs of. It
/// bounds the arrays below.
inline constexpr std::size_t kMostCoreKinds = 3;

/// One kind of cores.
struct CoreKind {
  Text<16> pmu;            ///< The kernel's name of its PMU, "cpu_core"
  std::uint32_t type = 0;  ///< perf_event_attr.type of its PMU
};

/// The kinds of cores of a processor: the first `count` elements of `kinds` are valid.
struct CoreKinds {
  CoreKind kinds[kMostCoreKinds];
  std::size_t count = 0;  ///< 0: all cores are of one kind
};

/// Finds the kinds by the PMUs cpu_core, cpu_atom and cpu_lowpower in sysfs, in this order. A
/// processor with one kind of cores has none of these PMUs (on x86 its PMU is called "cpu"), so the
/// result is empty. `devices`: the folder of PMUs; tests pass another.
CoreKinds ReadCoreKinds(const char* devices = "/sys/bus/event_source/devices") noexcept;

/// Stores `spec` for each kind of cores in `specs`, named as perf names them ("cpu_atom/cycles/"),
/// and returns their number: 1 to kMostCoreKinds. An event that is the same on all cores (a
/// software event, a native event of one PMU) is stored once, unchanged; so is every event where
/// `cores` is empty, and a generic event that states a PMU already. A name that is longer than
/// EventSpec::name is cut.
std::size_t SpecsPerKind(const EventSpec& spec, const CoreKinds& cores,
                         EventSpec (&specs)[kMostCoreKinds]) noexcept;

}  // namespace csink

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profil/reading/model/profile.h"
#include "symbolizer/names/cache/folder.h"

/// File: what the interrupt of one sample costs on this machine. The kernel counts the time of the
/// interrupt as CPU time of the interrupted thread, and no clock of the agent shows it: 1 us on a
/// processor, more than 10 us in a virtual machine whose timers trap to the host. So a loop with a
/// fixed amount of work is timed with and without an event. Threads: one.

namespace csink::tool {

/// What the cost depends on.
enum class InterruptKind {
  kClock,        ///< A clock's timer
  kClockFp,      ///< ... with callers by frame pointers
  kClockUnwind,  ///< ... with a copy of the stack
  kCounter,      ///< A hardware counter's overflow, as the next two
  kCounterFp,
  kCounterUnwind,
};

/// Measures the cost in ns of CPU time, with 20 ms of it. nullopt: the event was refused, or the
/// difference was too small to be seen.
std::optional<std::uint64_t> MeasureInterruptCost(InterruptKind kind);

/// The cost as it was measured since the machine was started, from a file of the cache; else
/// measures it and keeps it there. nullopt: without a cache, and as for MeasureInterruptCost.
std::optional<std::uint64_t> FindInterruptCost(InterruptKind kind,
                                               const symbolizer::cache::Settings& cache);

/// Fills in Evidence::interrupt_ns of the processes that ran on this machine since it was started
/// and were sampled by perf events. Does nothing for a profile of few samples, and for processes
/// that have a value.
void AddInterruptCosts(Profile& profile);

}  // namespace csink::tool

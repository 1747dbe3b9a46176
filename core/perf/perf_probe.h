#pragma once

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// A stopped counter of user mode. `type` and `config` as in perf_event_attr.
perf_event_attr UserCounter(unsigned type, std::uint64_t config) noexcept;

/// Opens and closes one counter, of the calling thread unless `tid` or `cpu` say otherwise
/// (perf_event_open(2)): 0, or the errno of opening it.
int TryOpen(Kernel& kernel, perf_event_attr attr, pid_t tid = 0, int cpu = -1) noexcept;
/// The same with a UserCounter of the calling thread.
int TryCounter(Kernel& kernel, unsigned type, std::uint64_t config) noexcept;

/// True when this machine counts cycles; else why not (kNoEvent: no PMU).
bool HasCycles(Kernel& kernel, Error* why) noexcept;

/// False when a seccomp filter that was there before us answers perf_event_open with death. Asked
/// by a child that dies in our place; costs one system call where no filter is.
bool PerfIsSurvivable() noexcept;

}  // namespace csink

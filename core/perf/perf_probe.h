#pragma once

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// Opens and closes one counter of the calling thread, user mode only: 0, or the errno of opening
/// it. `type` and `config` as in perf_event_attr.
int TryCounter(Kernel& kernel, unsigned type, std::uint64_t config) noexcept;

/// True when this machine counts cycles; else why not (kNoEvent: no PMU).
bool HasCycles(Kernel& kernel, Error* why) noexcept;

/// False when a seccomp filter that was there before us answers perf_event_open with death. Asked
/// by a child that dies in our place; costs one system call where no filter is.
bool PerfIsSurvivable() noexcept;

}  // namespace csink

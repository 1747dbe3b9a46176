#pragma once

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// The attribute of a disabled counter of user mode. `type` and `config` as in perf_event_attr.
/// PERF_ATTR_SIZE_VER0 makes every kernel accept its size.
perf_event_attr UserCounter(unsigned type, std::uint64_t config) noexcept;

/// Opens and closes one counter of thread `tid` (0: the calling thread) on `cpu` (-1: any), as
/// perf_event_open(2) takes them. Returns 0, or the errno of opening it.
int TryOpen(Kernel& kernel, perf_event_attr attr, pid_t tid = 0, int cpu = -1) noexcept;
/// The same with UserCounter(type, config) of the calling thread.
int TryCounter(Kernel& kernel, unsigned type, std::uint64_t config) noexcept;

/// Whether this machine counts processor cycles. If not, `why` gets the reason (kNoEvent: there is
/// no PMU). `why` must not be null.
bool HasCycles(Kernel& kernel, Error* why) noexcept;

/// False when a seccomp filter of the process would kill it at perf_event_open(2). A child process
/// makes the call and is killed in our place. Without a filter this costs one system call.
bool PerfIsSurvivable() noexcept;

}  // namespace csink

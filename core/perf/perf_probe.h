#pragma once

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// The attribute of a disabled counter of user mode. `type` and `config` as in perf_event_attr.
/// PERF_ATTR_SIZE_VER0 makes every kernel accept its size: the kernel refuses a longer attribute
/// that it does not know (E2BIG). User mode only, because that is what
/// kernel.perf_event_paranoid=2, the kernel's default, allows.
/// Signals: safe.
perf_event_attr UserCounter(unsigned type, std::uint64_t config) noexcept;

/// Opens and closes one counter of thread `tid` (0: the calling thread) on `cpu` (-1: any), as
/// perf_event_open(2) takes them. Returns 0, or the errno of opening it. An event that opens may
/// still find no free counter later.
int TryOpen(Kernel& kernel, perf_event_attr attr, pid_t tid = 0, int cpu = -1) noexcept;
/// The same with UserCounter(type, config) of the calling thread.
int TryCounter(Kernel& kernel, unsigned type, std::uint64_t config) noexcept;

/// Whether this machine counts processor cycles. If not, `why` gets the reason (kNoEvent: there is
/// no PMU; kPermission, and others by ErrcFromErrno). `why` must not be null, and is unchanged
/// where the answer is true.
bool HasCycles(Kernel& kernel, Error* why) noexcept;

}  // namespace csink

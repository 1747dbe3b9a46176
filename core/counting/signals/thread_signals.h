#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/util/result.h"

/// File: the state of a thread of this process and its signals, from /proc (proc(5),
/// /proc/pid/status).
/// Threads: any. Signals: safe.

namespace csink {

/// Whether a tracer (a debugger, for instance) receives each signal of the calling thread first
/// (TracerPid). False also where /proc is not readable. The answer may be out of date at once.
bool IsTraced() noexcept;

/// The signals that are pending in the queue of thread `tid` itself (SigPnd); bit n - 1 is signal
/// n. Signals that are pending for the whole process (ShdPnd) are not included.
/// Errors: ErrcFromErrno of opening or reading (sys_errno ENOENT: there is no such thread),
/// kCorrupt (no such line).
Result<std::uint64_t> PendingSignals(pid_t tid) noexcept;

}  // namespace csink

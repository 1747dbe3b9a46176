#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/util/result.h"

/// File: what /proc says of a thread of this process and its signals; proc(5), /proc/pid/status.
/// Signals: safe.

namespace csink {

/// A debugger, or another tracer, sees each signal of the calling thread first.
bool IsTraced() noexcept;

/// The signals that wait in the thread's own queue, bit n - 1: signal n. Fails with what open or
/// read said (ENOENT: there is no such thread), kCorrupt.
Result<std::uint64_t> PendingSignals(pid_t tid) noexcept;

}  // namespace csink

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "core/util/result.h"

/// File: what /proc says of a thread of this process and its signals; proc(5), /proc/pid/status.
/// Signals: safe.

namespace csink {

/// A debugger, or another tracer, sees each signal of the calling thread first.
bool IsTraced() noexcept;

/// The signals that wait in the thread's own queue, bit n - 1: signal n. Fails with what open or
/// read said (ENOENT: there is no such thread), kCorrupt.
Result<std::uint64_t> PendingSignals(pid_t tid) noexcept;

/// The word behind `key` ("TracerPid:") at a line's beginning in the text of a status file; empty:
/// it is not there.
std::string_view StatusWord(std::string_view status, std::string_view key) noexcept;

}  // namespace csink

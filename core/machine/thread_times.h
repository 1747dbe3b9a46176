#pragma once

#include <cstdint>
#include <string_view>

#include "core/util/result.h"

/// File: what the scheduler knows about a thread: /proc/PID/task/TID/schedstat.
/// Source: kernel, fs/proc/base.c (proc_pid_schedstat). The three numbers are cumulative since the
/// thread's start and exact: no sampling. The rest of the thread's life it was blocked.

namespace csink {

/// A thread's time up to now, in ns.
struct ThreadTimes {
  std::uint64_t run_ns = 0;   ///< On a processor, user and system
  std::uint64_t wait_ns = 0;  ///< Runnable, but waiting for a processor
  std::uint64_t turns = 0;    ///< How often it was given a processor
};

/// Parses the content of a schedstat file. Errors: kInvalid (not three numbers), kUnsupported (the
/// kernel writes "0 0 0" where it does not keep these numbers; a thread that reads its own line has
/// run).
/// Threads: any. Signals: safe.
Result<ThreadTimes> ParseThreadTimes(std::string_view text) noexcept;

/// Reads the line of thread `tid` of this process (0: the calling thread). Opens, reads and closes
/// the file: the descriptor is in the calling thread's table for about 2 us. Errors: that of the
/// failed system call (ENOENT or ESRCH: the thread is gone, or /proc is not mounted), those of
/// ParseThreadTimes.
/// Threads: any. Signals: safe.
Result<ThreadTimes> ReadThreadTimes(std::uint32_t tid) noexcept;

}  // namespace csink

#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/counting/counters/counter_table.h"
#include "core/counting/signals/thread_tick.h"
#include "core/util/result.h"

namespace csink {

/// Software multiplexing: the groups of a counter set take turns, on the CPU clock of the counted
/// thread. At each tick the group that counted is disabled and the next one is enabled. Used where
/// the kernel's own multiplexing is not wanted.
/// Owns:    the tick (a POSIX timer). The table must outlive the time between Start and Stop.
/// Threads: Start and Stop: one at a time. Signals: only the ticks run in a handler.
class SliceTimer {
 public:
  /// How long a group counts at a time where the user states nothing.
  static constexpr std::uint64_t kDefaultSliceNs = 10'000'000;

  /// Enables the first group of `table` and starts the turns. `tid` must be a thread of this
  /// process; `slice_ns` 0: kDefaultSliceNs.
  /// Errors: kLimit (no timer is left), kUnsupported (`tid` is not a thread of this process), or
  /// ErrcFromErrno of enabling the first group.
  Result<void> Start(CounterTable& table, pid_t tid, std::uint64_t slice_ns) noexcept;
  /// Ends the turns and disables the group that counted. After the return no tick runs or will run.
  void Stop(CounterTable& table) noexcept;
  /// In a forked child, which does not inherit the timer. Makes no ioctl: the descriptors still
  /// refer to the parent's counters.
  void ForgetAfterFork() noexcept { tick_.ForgetAfterFork(); }

 private:
  ThreadTick tick_;
};

}  // namespace csink

#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/counting/counter_table.h"
#include "core/signals/thread_tick.h"
#include "core/util/result.h"

namespace csink {

/// Turns among the groups of a counter set, on the counted thread's own CPU clock: at each tick the
/// group that counted is disabled and the next one enabled. This is multiplexing where the kernel's
/// own is not wanted.
/// Threads: one at a time. Signals: only the ticks.
class SliceTimer {
 public:
  /// How long a group counts at a time when nobody says.
  static constexpr std::uint64_t kDefaultSliceNs = 10'000'000;

  /// Enables the first group of `table` and starts the turns. `tid` is a thread of this process.
  /// Errors: kLimit (no timer is left), kUnsupported (`tid` is no thread of this process), or what
  /// the kernel says to the first enabling.
  Result<void> Start(CounterTable& table, pid_t tid, std::uint64_t slice_ns) noexcept;
  /// No tick is under way or comes afterwards; disables the group that counted.
  void Stop(CounterTable& table) noexcept;
  /// In a forked child: the timer does not exist there.
  void ForgetAfterFork() noexcept { tick_.ForgetAfterFork(); }

 private:
  ThreadTick tick_;
};

}  // namespace csink

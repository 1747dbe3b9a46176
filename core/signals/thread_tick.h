#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// A call at regular steps of one thread's own CPU time, in a signal handler on that thread: for
/// work that must be done while the thread computes and need not be done while it sleeps.
///
/// The signal is SIGURG: ignored by default, so that a late one after the last user has gone, or
/// in an image that was just exec'd, does nothing. POSIX timers are neither inherited by children
/// nor kept over exec (ITIMER_PROF would be, and would be one for all threads). Ticks come at the
/// kernel's HZ at most. A program's own SIGURG handler is called for what is not ours, and its
/// disposition comes back with the last Stop, unless the program has set another one meanwhile.
///
/// Owns:    a timer and a slot of a static table.
/// Threads: Start and Stop: one at a time per object; any objects at once.
/// Signals: Stop is safe from the tick itself.
class ThreadTick {
 public:
  /// `missed`: steps that passed without a call before this one. `context`: the ucontext_t. Keeps
  /// errno itself.
  using Handler = void (*)(void* arg, std::uint64_t missed, void* context) noexcept;

  /// What carries it. Signals: safe.
  static int Signal() noexcept;

  ThreadTick() noexcept = default;
  ThreadTick(const ThreadTick&) = delete;
  ThreadTick& operator=(const ThreadTick&) = delete;
  ~ThreadTick() { Stop(); }

  /// Ticks for thread `tid` of this process, 0: the caller. When that is the caller, SIGURG is
  /// unblocked for it until Stop; in another thread it must not be blocked. Fails with kLimit
  /// (timers, slots) or what the kernel said; kInvalid: already started.
  Result<void> Start(Kernel& kernel, pid_t tid, std::uint64_t interval_ns, Handler handler,
                     void* arg) noexcept;
  /// No call begins afterwards, and none is under way in another thread (one that takes longer
  /// than a second, or was left by a jump, is not waited for).
  void Stop() noexcept;
  bool started() const noexcept { return slot_ >= 0; }
  /// In a forked child: the timer does not exist there.
  void ForgetAfterFork() noexcept;

 private:
  Kernel* kernel_ = nullptr;
  int slot_ = -1;
  int timer_ = -1;
  pid_t unblocked_for_ = 0;  ///< The thread whose mask is to be put back
};

}  // namespace csink

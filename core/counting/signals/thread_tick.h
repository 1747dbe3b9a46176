#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// Calls a function at regular steps of one thread's CPU time, in a signal handler on that thread:
/// for work that must be done while the thread computes, and need not be done while it sleeps.
///
/// The signal is SIGURG. It is ignored by default, so that a late signal after the last user has
/// gone, or one that reaches an image just exec'd, does nothing. POSIX timers are used because
/// children do not inherit them and exec removes them; ITIMER_PROF would survive both, and there is
/// only one for all threads. Ticks come at the kernel's HZ at most. Signals that are not ours go to
/// the program's own SIGURG handler; its disposition is restored by the last Stop, unless the
/// program has changed it meanwhile.
///
/// Owns:    a timer and a slot of a static table.
/// Threads: Start and Stop: one at a time for each object; different objects at once.
/// Signals: Start, Stop and ForgetAfterFork are safe; Stop also inside the tick itself.
class ThreadTick {
 public:
  /// `missed`: steps that passed without a call before this one. `context`: the ucontext_t. The
  /// function must preserve errno.
  using Handler = void (*)(void* arg, std::uint64_t missed, void* context) noexcept;

  /// The signal that carries the ticks: SIGURG. Signals: safe.
  static int Signal() noexcept;

  ThreadTick() noexcept = default;
  ThreadTick(const ThreadTick&) = delete;
  ThreadTick& operator=(const ThreadTick&) = delete;
  ~ThreadTick() { Stop(); }

  /// Starts ticks for thread `tid` of this process (0: the caller), every `interval_ns` of its CPU
  /// time. Where that is the caller, SIGURG is unblocked for it until Stop; another thread must not
  /// block it. `kernel` must stay valid until Stop.
  /// Errors: kInvalid (started already), kLimit (no slot, or no timer; sys_errno says which).
  Result<void> Start(Kernel& kernel, pid_t tid, std::uint64_t interval_ns, Handler handler,
                     void* arg) noexcept;
  /// Ends the ticks; does nothing where none are started. Afterwards no call begins, and none is
  /// running in another thread. A call that takes longer than a second, or that was left by a jump,
  /// is not waited for. Only the thread for which Start unblocked SIGURG blocks it again here:
  /// where another thread stops the tick, the signal stays unblocked.
  void Stop() noexcept;
  bool started() const noexcept { return slot_ >= 0; }
  /// In a forked child, which does not inherit the timer: gives the slot and the signal back
  /// without deleting a timer. Call while the child has one thread.
  void ForgetAfterFork() noexcept;

 private:
  Kernel* kernel_ = nullptr;
  /// Index in the static table; -1: not started.
  int slot_ = -1;
  /// The kernel's id of the timer.
  int timer_ = -1;
  pid_t unblocked_for_ = 0;  ///< The thread in which Stop must block SIGURG again; 0: none
};

}  // namespace csink

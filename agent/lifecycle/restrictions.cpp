#include "agent/lifecycle/restrictions.h"

#include "agent/signals/seccomp_filter.h"
#include "core/util/futex_lock.h"
#include "core/util/raw_log.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

/// File: the last moment at which a right can be used. Most programs that take rights away never
/// come near the agent's calls, so the filter is examined first (seccomp_filter.h), and a spool is
/// made only where none could be made later.

namespace csink::agent {

void Restrictions::BeforeSeccomp(const void* filter) noexcept {
  if (!process_.active() || !process_.IsOurProcess()) return;
  if (process_.sandboxed()) {  // a filter more, that may not be looked at
    SetLogSilent(true);
    return;
  }
  // Strict mode leaves read, write, exit and the return from a handler.
  FilterVerdict verdict = {false, false, true};
  if (filter) {
    const SignalsBlocked quiet;
    // Threads may install filters at the same time, and JudgeFilter has one copy. If this thread
    // holds the lock already, no other thread is inside JudgeFilter either.
    const FutexHolding holding(collector_.lock(), AskTid());
    verdict = JudgeFilter(filter);
  }
  if (verdict.leaves_us_alone) return;
  if (!verdict.lets_us_tick) {
    drainer_.StopTicks("the program's seccomp filter forbids the return from signal handlers");
  }
  SetLogSilent(!verdict.lets_us_speak);
  // The order matters: Freeze makes the spool, which needs system calls, before the sandbox is
  // entered. A thread that drains at this moment finishes first, because Freeze needs the lock.
  entering_sandbox_ = true;
  const SignalsBlocked quiet;
  {
    const FutexHolding holding(collector_.lock(), AskTid());
    if (holding.held()) {
      collector_.Freeze();
    } else {
      // This thread is inside a drain or an exec. A spool made now would stay unfinished if the
      // exec succeeds, so the state of the last drain is kept.
      collector_.FreezeAsItIs();
    }
  }
  process_.EnterSandbox(filter == nullptr);
  // A sweep that began before may be in the middle of its system calls.
  // If this thread holds the lock, that sweep would wait for it.
  if (filter && !collector_.lock().HeldBy(AskTid())) drainer_.WaitForRest();
}

void Restrictions::AfterSeccomp(bool succeeded) noexcept {
  if (entering_sandbox_ && !succeeded) {
    process_.LeaveSandbox();
    SetLogSilent(false);
    collector_.Unfreeze();
  }
  entering_sandbox_ = false;
}

void Restrictions::BeforeChroot() noexcept {
  if (!Concerned()) return;
  const SignalsBlocked quiet;
  const FutexHolding holding(collector_.lock(), AskTid());
  // Reserve allocates the file's blocks now: after chroot the file system cannot be asked by path.
  if (holding.held() && collector_.EnsureSpool()) spool_.Reserve();
}

void Restrictions::BeforeUserChange() noexcept {
  if (!Concerned() || !spool_.open()) return;
  const SignalsBlocked quiet;
  const FutexHolding holding(collector_.lock(), AskTid());
  if (holding.held()) spool_.Reserve();
}

}  // namespace csink::agent

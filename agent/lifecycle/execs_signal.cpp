#include "agent/lifecycle/execs.h"
#include "agent/signals/signal_mask.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

/// File: an exec has no hook behind it that succeeds, so everything is done before it, as if the
/// image had ended, and is taken back where the exec fails.

namespace csink::agent {

void Execs::Before() noexcept {
  // The new image inherits the signal mask of the kernel. Until here the drain signal was unblocked
  // there, although the program may have blocked it. Done in vfork children, too, since they exec.
  ShowMaskToKernel(true);
  if (!process_.active() || process_.sandboxed()) return;
  if (!process_.IsOurProcess()) {
    selection_.NoteChild();  // a vfork child, in our memory
    return;
  }
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  // The lock is held by this thread when a handler of the program interrupted a drain and calls
  // exec. The spool then keeps the state of the last drain.
  if (collector_.lock().HeldBy(tid) || !collector_.lock().Lock(tid, LastDrain::kLockNs)) return;
  collector_.accounts().BeginOwnWork();
  // First, under the lock: no request of a script may change the state after it was handed on.
  control_.HandOn(true);
  if (last_drain_.Run(spool::End::kExec, 0)) collector_.SettleAll();
  if (spool_.open()) spool_.SetState(spool::State::kComplete, spool::End::kExec);
  control_.KeepModules();
  collector_.accounts().EndOwnWork();
  // Held over the exec: a sweep of the agent thread would say that we live on.
  lock_kept_ = true;
}

void Execs::Failed() noexcept {
  ShowMaskToKernel(false);
  if (!process_.IsOurProcess() || !lock_kept_ || !collector_.lock().HeldBy(AskTid())) return;
  lock_kept_ = false;
  collector_.set_ending(false);
  control_.HandOn(false);
  if (spool_.open()) spool_.SetState(spool::State::kLive, spool::End::kUnknown);
  collector_.lock().Unlock();
}

}  // namespace csink::agent

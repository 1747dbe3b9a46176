#include <linux/futex.h>
#include <pthread.h>

#include "agent/agent.h"
#include "agent/process/task_list.h"
#include "agent/signals/signal_view.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

/// File: the moments of a thread's life.

namespace csink::agent {

void Agent::ThreadStarted(ThreadSlot& slot) noexcept {
  if (!active()) return;
  if (sandboxed_) {
    collector_.accounts().SeeThread();
    registry_.Release(slot);  // not sampled, and no system call to say so
    return;
  }
  const pid_t tid = AskTid();
  slot.tid.store(tid, std::memory_order_relaxed);
  slot.hooked = true;
  SetBelievedBlocked(slot.believed_blocked);
  collector_.accounts().BeginThread(slot, tid, Arm(slot, tid));
  if (slot.timer >= 0) UnblockDrainSignal();
  pthread_setspecific(thread_key_, &slot);
  slot.state.store(SlotState::kLive, std::memory_order_seq_cst);
  AgreeOnPause(slot);
  SweepSoon();
}

// A new thread's first event may fire sixteen times too often, until it is replaced.
void Agent::SweepSoon() noexcept {
  if (!agent_sleeps_long_.load(std::memory_order_relaxed) ||
      !agent_sleeps_long_.exchange(false, std::memory_order_relaxed)) {
    return;
  }
  agent_wake_.fetch_add(1, std::memory_order_release);
  RawSyscall(SYS_futex, SyscallArg(&agent_wake_), FUTEX_WAKE_PRIVATE, 1);
}

void Agent::ThreadEnded(ThreadSlot& slot) noexcept {
  if (!active() || sandboxed_ || !IsOurProcess()) return;
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (collector_.lock().HeldBy(tid)) return;
  collector_.lock().Lock(tid);
  if (slot.state.load(std::memory_order_relaxed) == SlotState::kLive) collector_.EndThread(slot);
  collector_.lock().Unlock();
}

void Agent::BeforeJoin() noexcept {
  if (drainer_.load(std::memory_order_relaxed) == Drainer::kAgentThread) return;
  if (!active() || sandboxed_ || !IsOurProcess()) return;
  const std::size_t ours = control_.thread.load() != 0 ? 1 : 0;
  if (CountTasks() > registry_.used() + ours) StartAgentThread();  // which finds it
}

void Agent::EventsSwitched(bool off) noexcept {
  if (!active() || sandboxed_ || !IsOurProcess()) return;
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (collector_.lock().HeldBy(tid)) return;
  collector_.lock().Lock(tid);
  if (ThreadSlot* slot = registry_.Find(tid)) collector_.accounts().SwitchedOff(*slot, off);
  collector_.lock().Unlock();
}

bool Agent::BeforeThread() noexcept {
  if (!active()) return false;
  if (sandboxed_) return true;
  if (!IsOurProcess()) {
    early_threads_ = true;
    return false;
  }
  StartAgentThread();
  return true;
}

void Agent::BeforeUnseenThread() noexcept {
  // Who is new is known at the second look; the thread may begin late.
  constexpr unsigned kLooks = 6;
  if (!BeforeThread() || sandboxed_ || looks_.exchange(kLooks) != 0) return;
  agent_wake_.fetch_add(1, std::memory_order_release);
  RawSyscall(SYS_futex, SyscallArg(&agent_wake_), FUTEX_WAKE_PRIVATE, 1);
}

}  // namespace csink::agent

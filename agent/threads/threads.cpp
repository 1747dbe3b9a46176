#include "agent/threads/threads.h"

#include "agent/process/drain_signal.h"
#include "agent/threads/started_function.h"
#include "core/machine/clocks.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"
#include "profil/inside/collector/wall_times.h"

/// File: threads that came through a hook, from their first to their last moment. A slot is claimed
/// by the creator (kStarting), filled by the thread itself (kLive) and released at its end.

namespace csink::agent {

void Threads::MakeKey(void (*at_end)(void*)) noexcept {
  key_made_ = pthread_key_create(&key_, at_end) == 0;
}

bool Threads::StartMain(std::uint64_t cpu_ns) noexcept {
  ThreadSlot* slot = registry_.Claim();
  if (!slot) return false;
  slot->is_main = true;
  slot->before_cpu_ns = cpu_ns;
  const pid_t tid = AskTid();
  slot->tid.store(tid, std::memory_order_relaxed);
  const bool armed = events_.ArmMain(*slot, tid);
  collector_.accounts().BeginThread(*slot, tid, armed);
  if (key_made_) KeepSlot(*slot);
  slot->hooked = key_made_;
  if (collector_.records_times()) BeginTimes(*slot);
  slot->state.store(SlotState::kLive, std::memory_order_release);
  return armed;
}

ThreadSlot* Threads::Claim() noexcept {
  any_hooked_.store(true, std::memory_order_release);
  const bool sandboxed = process_.sandboxed();
  // The creator helps, too, where the threads that end and the agent thread fall behind.
  if (registry_.ended() > kManyEnded && !sandboxed) {
    const SignalsBlocked quiet;
    EndSome(AskTid());
  }
  ThreadSlot* slot = registry_.Claim();
  // In the creator, because the wait for its first turn is a part of the thread's life.
  if (slot && !sandboxed) slot->times.begin_ns = slot->created_ns = MonotonicNs();
  if (slot && !sandboxed && collector_.records_times()) slot->timed.creator = AskTid();
  return slot;
}

void Threads::BeginTimes(ThreadSlot& slot) noexcept {
  slot.timed.start_ns = MonotonicNs();
  slot.timed.handle = static_cast<std::uint64_t>(pthread_self());
}

bool Threads::Started(ThreadSlot& slot) noexcept {
  if (process_.sandboxed()) {
    collector_.accounts().SeeThread();
    registry_.Release(slot);  // not sampled, and no system call to say so
    return false;
  }
  const std::uint64_t began_ns = ThreadCpuNs();
  const pid_t tid = AskTid();
  slot.tid.store(tid, std::memory_order_relaxed);
  slot.before_cpu_ns = began_ns;
  slot.hooked = key_made_;
  if (collector_.records_times()) BeginTimes(slot);
  // The hook has read the routine that it calls.
  slot.start_routine = reinterpret_cast<void (*)()>(
      StartedFunction(reinterpret_cast<std::uint64_t>(slot.start_routine),
                      reinterpret_cast<std::uint64_t>(slot.start_argument)));
  SetAssumedBlocked(slot.assumed_blocked);
  collector_.accounts().BeginThread(slot, tid, events_.Arm(slot, tid));
  // Only a timer needs a signal; rings are drained by others.
  if (slot.timer >= 0) UnblockDrainSignal();
  if (key_made_) KeepSlot(slot);
  // seq_cst: see AgreeOnPause.
  slot.state.store(SlotState::kLive, std::memory_order_seq_cst);
  AgreeOnPause(slot);
  collector_.accounts().AddOwnCost(ThreadCpuNs() - began_ns);
  return true;
}

// A holder of the lock that is not running keeps it for as long as all other runnable threads take
// their turns. So nothing is waited for here: the slot is left to whoever gets the lock next.
void Threads::Ended(ThreadSlot& slot) noexcept {
  const std::uint64_t began_ns = ThreadCpuNs();
  const pid_t tid = AskTid();
  unsigned long mask = SignalsBlocked::Block();
  if (!collector_.lock().HeldBy(tid)) {
    const bool ticks = slot.timer >= 0;
    ReadAtEnd(kernel_, slot);
    if (registry_.PutEnded(slot)) {
      // A tick of this thread must not find the slot when it is another thread's.
      if (ticks) mask |= 1ul << (DrainSignal() - 1);
      EndSome(tid);
    }
    collector_.accounts().AddOwnCost(ThreadCpuNs() - began_ns);
  }
  SignalsBlocked::Restore(mask);
}

void Threads::EndSome(pid_t tid) noexcept {
  if (!collector_.lock().TryLock(tid)) return;
  LeftRings left;
  collector_.EndSome(left);
  collector_.lock().Unlock();
  left.Unmap(kernel_);
}

void Threads::EventsSwitched(bool off) noexcept {
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (collector_.lock().HeldBy(tid)) return;
  collector_.lock().Lock(tid);
  if (ThreadSlot* slot = registry_.Find(tid)) collector_.accounts().SwitchedOff(*slot, off);
  collector_.lock().Unlock();
}

bool Threads::MainHasGone() const noexcept {
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    const ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_relaxed) == SlotState::kLive && slot.is_main) {
      return false;
    }
  }
  return true;
}

void Threads::RetireDead() noexcept {
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    const pid_t tid = slot.tid.load(std::memory_order_relaxed);
    // The clock of main stays while the process lives, because main remains as a zombie.
    if (tid == process_.pid() || kernel_.ThreadCpuNs(tid) >= 0) continue;
    collector_.lock().Lock(agent_tid_);
    // The thread may have ended through its hook since the look at its clock.
    if (slot.state.load(std::memory_order_acquire) == SlotState::kLive &&
        slot.tid.load(std::memory_order_relaxed) == tid) {
      collector_.EndThread(slot);
    }
    collector_.lock().Unlock();
  }
}

}  // namespace csink::agent

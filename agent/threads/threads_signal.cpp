#include <cstring>

#include "agent/process/task_list.h"
#include "agent/threads/threads.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

/// File: threads that no hook saw: made by a raw clone, or before the agent was loaded. They are
/// found in /proc/self/task.

namespace csink::agent {

void Threads::Adopt(pid_t tid, Found how) noexcept {
  ThreadSlot* slot = registry_.Claim();
  if (!slot) return;
  slot->tid.store(tid, std::memory_order_relaxed);
  collector_.accounts().BeginThread(*slot, tid, events_.Arm(*slot, tid));
  if (how == Found::kLate) {
    // What the thread has used by now is in no sample.
    spool::Evidence& evidence = collector_.accounts().evidence();
    __atomic_fetch_add(&evidence.late_threads, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&evidence.late_thread_ns, slot->armed_cpu_ns, __ATOMIC_RELAXED);
  }
  slot->state.store(SlotState::kLive, std::memory_order_seq_cst);
  AgreeOnPause(*slot);
}

void Threads::AdoptNew() noexcept {
  ForEachTask(
      [](pid_t tid, void* arg) {
        Threads& threads = *static_cast<Threads*>(arg);
        // Main has had a slot from the start. After its pthread_exit it stays in the list as a
        // zombie.
        if (tid == threads.agent_tid_ || tid == threads.control_thread() ||
            tid == threads.process_.pid() || threads.registry_.Find(tid)) {
          return;
        }
        // A thread in our trampoline has no tid in its slot yet. It stores its tid itself, and has
        // a slot at the next search.
        for (std::size_t i = 0; i < threads.registry_.high_water(); ++i) {
          if (threads.registry_.at(i).state.load(std::memory_order_acquire) ==
              SlotState::kStarting) {
            return;
          }
        }
        threads.Suspect(tid);
      },
      this);
  __atomic_store_n(&seen_suspects_, new_suspects_, __ATOMIC_RELAXED);
  new_suspects_ = 0;
  std::memcpy(suspects_, next_suspects_, sizeof suspects_);
}

void Threads::Suspect(pid_t tid) noexcept {
  bool adopts = !any_hooked_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < seen_suspects_; ++i) adopts |= suspects_[i] == tid;
  if (adopts) {
    if (process_.active() && !process_.sandboxed()) Adopt(tid, Found::kLate);
    return;
  }
  if (new_suspects_ < kSuspects) next_suspects_[new_suspects_++] = tid;
}

void Threads::AdoptEarlier() noexcept {
  ForEachTask(
      [](pid_t tid, void* arg) {
        Threads& threads = *static_cast<Threads*>(arg);
        if (tid != threads.process_.pid()) threads.Adopt(tid, Found::kBeforeTheAgent);
      },
      this);
}

bool Threads::HasUnknown() const noexcept {
  const std::size_t ours = control_thread() != 0 ? 1 : 0;
  return CountTasks() > registry_.used() + ours;
}

// In a process that drains itself no agent thread searches.
void Threads::LookForUnknown() noexcept {
  // unshare(CLONE_VM) costs 0.3 us, counting the tasks in /proc 11 us (docs/design/agent.md).
  if (IsAlone()) return;
  if (HasUnknown()) AdoptNew();
}

// A thread that has just begun may have read the state of the pause before the state changed. The
// thread that changed the state has then not seen the new slot. Both threads store before they
// load, and all these accesses are seq_cst (the caller's store of kLive, too), so at least one of
// them sees the other.
void Threads::AgreeOnPause(ThreadSlot& slot) noexcept {
  if (slot.in_pause == collector_.pauses().pausing() &&
      slot.resting == collector_.pauses().resting())
    return;
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (collector_.lock().HeldBy(tid)) return;
  collector_.lock().Lock(tid);
  collector_.AgreeOnPause(slot);
  if (collector_.pauses().resting()) {
    collector_.RestSlot(slot);
  } else if (slot.resting) {
    slot.resting = false;
    events_.Arm(slot, slot.tid.load(std::memory_order_relaxed));
  }
  collector_.lock().Unlock();
}

}  // namespace csink::agent

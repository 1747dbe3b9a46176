#include <cstring>

#include "agent/agent.h"
#include "agent/process/task_list.h"

/// File: threads that came to be without our trampoline: by a raw clone, or before us.

namespace csink::agent {

void Agent::AdoptThread(pid_t tid) noexcept {
  if (!active() || sandboxed_) return;
  ThreadSlot* slot = registry_.Claim();
  if (!slot) return;
  slot->tid.store(tid, std::memory_order_relaxed);
  collector_.accounts().BeginThread(*slot, tid, Arm(*slot, tid));
  slot->state.store(SlotState::kLive, std::memory_order_seq_cst);
  AgreeOnPause(*slot);
}

void Agent::AdoptNewThreads() noexcept {
  ForEachTask(
      [](pid_t tid, void* arg) {
        Agent& agent = *static_cast<Agent*>(arg);
        // Main came with us from the start; after its pthread_exit it stays as a zombie.
        if (tid == agent.agent_tid_ || tid == agent.control_.thread.load() || tid == agent.pid_ ||
            agent.registry_.Find(tid)) {
          return;
        }
        // A thread in our trampoline has no tid in its slot yet: leave it to itself,
        // it will be there at the next sweep.
        for (std::size_t i = 0; i < agent.registry_.high_water(); ++i) {
          if (agent.registry_.at(i).state.load(std::memory_order_acquire) == SlotState::kStarting) {
            return;
          }
        }
        agent.Suspect(tid);
      },
      this);
  seen_suspects_ = new_suspects_;
  new_suspects_ = 0;
  std::memcpy(suspects_, next_suspects_, sizeof suspects_);
}

// A thread on its way out has given its slot back already: only who is without
// one at two sweeps is new.
void Agent::Suspect(pid_t tid) noexcept {
  for (std::size_t i = 0; i < seen_suspects_; ++i) {
    if (suspects_[i] == tid) {
      AdoptThread(tid);
      return;
    }
  }
  if (new_suspects_ < kSuspects) next_suspects_[new_suspects_++] = tid;
}

// At our start nothing is on its way in or out through a hook of ours.
void Agent::AdoptEarlierThreads() noexcept {
  ForEachTask(
      [](pid_t tid, void* arg) {
        Agent& agent = *static_cast<Agent*>(arg);
        if (tid != agent.pid_) agent.AdoptThread(tid);
      },
      this);
}

// In a process that drains itself there is nobody else to look.
void Agent::LookForThreads() noexcept {
  if (IsAlone()) return;  // a microsecond; the folder in /proc takes twenty
  const std::size_t ours = control_.thread.load() != 0 ? 1 : 0;
  if (CountTasks() > registry_.used() + ours) AdoptNewThreads();
}

}  // namespace csink::agent

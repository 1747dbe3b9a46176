#pragma once

#include <errno.h>

#include "agent/agent.h"
#include "core/util/signals_blocked.h"

namespace csink::agent {

/// The collector's lock for one request, with all signals blocked: a handler of the program's that
/// came meanwhile could ask for the same. Threads: any. Signals: safe.
class Agent::Holding {
 public:
  explicit Holding(Agent& agent) noexcept : agent_(agent) {
    if (!agent.active()) {
      error_ = ESHUTDOWN;
      return;
    }
    if (agent.sandboxed() || !agent.IsOurProcess()) {
      error_ = EPERM;
      return;
    }
    mask_ = SignalsBlocked::Block();
    const pid_t tid = AskTid();
    FutexLock& lock = agent.collector_.lock();
    held_ = !lock.HeldBy(tid) && lock.Lock(tid, kLockNs);
    if (!held_) error_ = EBUSY;
    if (held_ && agent.process_.ending()) error_ = ESHUTDOWN;
  }
  ~Holding() {
    if (held_) agent_.collector_.lock().Unlock();
    if (held_ || error_ == EBUSY) SignalsBlocked::Restore(mask_);
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  /// 0: held. Else nothing is, see Agent's control functions.
  int error() const noexcept { return error_; }

 private:
  // Who waits has waited for a drain at most.
  static constexpr std::uint64_t kLockNs = 5'000'000'000;

  Agent& agent_;
  unsigned long mask_ = 0;
  bool held_ = false;
  int error_ = 0;
};

}  // namespace csink::agent

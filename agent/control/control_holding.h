#pragma once

#include <errno.h>

#include "agent/control/controller.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

namespace csink::agent {

/// Holds the collector's lock for one request, with all signals blocked: a handler of the program
/// that interrupted the request could make a request itself and would wait for its own thread.
///
/// The destructor gives back the lock and restores the mask. Refused requests hold nothing:
/// ESHUTDOWN: the program is ending or was never activated; EPERM: a sandbox, or a vfork child;
/// EBUSY: this thread holds the lock already, or the lock was not free within kLockNs.
/// Threads: any. Signals: safe.
class Controller::Holding {
 public:
  /// Blocks all signals and takes the lock, or stores why not. Waits kLockNs at most.
  explicit Holding(Controller& control) noexcept : collector_(control.collector_) {
    const ProcessState& process = control.process_;
    if (!process.active()) {
      error_ = ESHUTDOWN;
      return;
    }
    if (process.sandboxed() || !process.IsOurProcess()) {
      error_ = EPERM;
      return;
    }
    mask_ = SignalsBlocked::Block();
    const pid_t tid = AskTid();
    FutexLock& lock = collector_.lock();
    held_ = !lock.HeldBy(tid) && lock.Lock(tid, kLockNs);
    if (!held_) error_ = EBUSY;
    /// Tested again under the lock: Finish may have claimed the end while this thread waited.
    if (held_ && process.ending()) error_ = ESHUTDOWN;
  }
  ~Holding() {
    if (held_) collector_.lock().Unlock();
    if (held_ || error_ == EBUSY) SignalsBlocked::Restore(mask_);
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  /// 0: the lock is held. Otherwise an errno, and the request must return it.
  int error() const noexcept { return error_; }

 private:
  /// 5 s. A holder is usually in a drain.
  static constexpr std::uint64_t kLockNs = 5'000'000'000;

  Collector& collector_;
  unsigned long mask_ = 0;
  bool held_ = false;
  int error_ = 0;
};

}  // namespace csink::agent

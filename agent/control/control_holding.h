#pragma once

#include <errno.h>

#include "agent/control/controller.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

namespace csink::agent {

/// The collector's lock for one request, with all signals blocked: a handler of the program's that
/// came meanwhile could ask for the same. Threads: any. Signals: safe.
class Controller::Holding {
 public:
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
    if (held_ && process.ending()) error_ = ESHUTDOWN;
  }
  ~Holding() {
    if (held_) collector_.lock().Unlock();
    if (held_ || error_ == EBUSY) SignalsBlocked::Restore(mask_);
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

  /// 0: held. Else nothing is, see Controller's requests.
  int error() const noexcept { return error_; }

 private:
  // Who waits has waited for a drain at most.
  static constexpr std::uint64_t kLockNs = 5'000'000'000;

  Collector& collector_;
  unsigned long mask_ = 0;
  bool held_ = false;
  int error_ = 0;
};

}  // namespace csink::agent

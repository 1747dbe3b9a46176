#pragma once

#include <errno.h>

#include "core/util/futex_lock.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

namespace csink::agent {

/// Holds report_lock for one run of csink, with all signals blocked: a handler of the program that
/// interrupted the run could ask for a report itself and would wait for its own thread.
/// Threads: any; waits 60 s at most. Signals: safe.
class ReportTurn {
 public:
  /// Waits until no other report of this process is made, or stores why not.
  explicit ReportTurn(FutexLock& lock) noexcept : lock_(lock) {
    const pid_t tid = AskTid();
    held_ = !lock.HeldBy(tid) && lock.Lock(tid, kOtherReportNs);
  }
  ~ReportTurn() {
    if (held_) lock_.Unlock();
  }
  ReportTurn(const ReportTurn&) = delete;
  ReportTurn& operator=(const ReportTurn&) = delete;

  /// 0: the lock is held. EBUSY: this thread holds it already, or another report took too long.
  int error() const noexcept { return held_ ? 0 : EBUSY; }

 private:
  static constexpr std::uint64_t kOtherReportNs = 60'000'000'000;

  const SignalsBlocked quiet_;  // First, so that the mask is restored after the lock is given back
  FutexLock& lock_;
  bool held_ = false;
};

}  // namespace csink::agent

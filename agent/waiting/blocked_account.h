#pragma once

#include <cstdint>

#include "core/machine/thread_times.h"

namespace csink::agent {

/// The blocked time of one thread, divided among looks.
///
/// The blocked time between two looks is exact: wall time less the thread's time on a processor and
/// its wait for one. A look that finds the thread blocked takes all blocked time since the last
/// look that did, for the place where the thread is now. This estimate of the time in a place is
/// unbiased: on the axis of the thread's blocked time the looks are a Poisson process, in which the
/// distance to the event before does not depend on the place of the event. The sum over all places
/// is the blocked time up to the last such look (docs/design/agent.md).
///
/// The kernel updates a running thread's time at ticks only. So times are taken while the thread is
/// blocked, and an error of a tick in between is corrected by the next look, because all sums are
/// differences from the start.
/// Threads: one. Signals: safe.
class BlockedAccount {
 public:
  /// Begins at this moment.
  void Start(std::uint64_t now_ns, const ThreadTimes& times) noexcept {
    start_ns_ = now_ns;
    start_ = times;
    seen_ns_ = taken_ns_ = 0;
    started_ = true;
  }
  void Stop() noexcept { started_ = false; }
  bool started() const noexcept { return started_; }

  /// A look: `times` are the thread's at `now_ns`. Returns the change of the blocked time since the
  /// look before, in ns; negative where a running thread's time was corrected.
  std::int64_t See(std::uint64_t now_ns, const ThreadTimes& times) noexcept {
    const std::uint64_t wall = now_ns - start_ns_;
    const std::uint64_t busy = times.run_ns - start_.run_ns + (times.wait_ns - start_.wait_ns);
    const std::uint64_t blocked = wall > busy ? wall - busy : 0;
    const auto change = static_cast<std::int64_t>(blocked - seen_ns_);
    seen_ns_ = blocked;
    return change;
  }
  /// The thread is blocked at the moment of the last See: the blocked time that no look has taken
  /// yet.
  std::uint64_t Take() noexcept {
    if (seen_ns_ <= taken_ns_) return 0;
    const std::uint64_t ns = seen_ns_ - taken_ns_;
    taken_ns_ = seen_ns_;
    return ns;
  }

 private:
  std::uint64_t start_ns_ = 0;
  ThreadTimes start_;
  std::uint64_t seen_ns_ = 0;   ///< Blocked time from the start to the last look
  std::uint64_t taken_ns_ = 0;  ///< The part of it that looks have taken
  bool started_ = false;
};

}  // namespace csink::agent

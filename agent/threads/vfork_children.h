#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "agent/process/process_state.h"
#include "agent/settings/config.h"
#include "agent/start/sampled_events.h"
#include "core/perf/kernel.h"
#include "core/sampling/ring_source.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// The account of one child, in memory that parent and child share. Defined in the source file.
struct VforkChild;

/// Children that share this memory until their exec or end: vfork, and clone with CLONE_VM and
/// CLONE_VFORK. The calling thread of the parent is suspended meanwhile.
///
/// No event of the parent's threads counts in the child. The child gets a CPU timer of its own,
/// which costs 3 us and is deleted by exec and exit. Most children end before its first tick. At
/// the first tick the child opens events for itself; the ring lies in the shared memory. The parent
/// drains it when vfork returns. Where no event can be opened, the ticks are the samples.
///
/// The CPU time of each child until its exec or end is counted, also without a sample: the child
/// reads its clock in the hooks of exec and _exit, and the parent afterwards if no hook saw the
/// end. The child of posix_spawn runs code of the C library alone and is counted, but not sampled.
///
/// Owns:    a table of children in static storage, one for the process.
/// Threads: any. Before, After and Spawned: the calling thread of the parent; Started, Ended,
///          ExecFailed and OnTick: the child. Lock: After takes the collector's if the child was
///          sampled, with all signals blocked.
/// Signals: safe (vfork_children_signal.cpp). No function changes errno: parent and child share it.
class VforkChildren {
 public:
  VforkChildren(const ProcessState& process, Kernel& kernel, RingSource& rings,
                Collector& collector, const SampledEvents& events, const Config& config) noexcept
      : process_(process),
        kernel_(kernel),
        rings_(rings),
        collector_(collector),
        events_(events),
        config_(config) {}

  /// Before the call that makes a child. nullptr: no account is kept (a sandbox, a child that makes
  /// a child, CSINK_FOLLOW=none, more children at one time than the table has room for).
  VforkChild* Before() noexcept;
  /// The child's first code. Starts its timer.
  void Started(VforkChild& child) noexcept;
  /// After the call has returned `pid`; -errno: there is no child. Drains the child's ring, and
  /// frees `child`.
  void After(VforkChild& child, long pid) noexcept;
  /// posix_spawn has made a child.
  void Spawned(pid_t pid) noexcept;

  /// True if some account is in use. No system call.
  bool any() const noexcept { return used_.load(std::memory_order_acquire) != 0; }
  /// In a child: it is about to call exec (kExec), or to end. `detail`: the exit status.
  void Ended(spool::End end, int detail) noexcept;
  /// In a child: exec has returned.
  void ExecFailed() noexcept { Ended(spool::End::kUnknown, 0); }
  /// The handler of the drain signal. Returns false if the signal is not of a child's timer.
  bool OnTick(const siginfo_t& info, const void* context) noexcept;

  /// In a forked child, which has no such children.
  void ForgetAfterFork() noexcept;

 private:
  /// Opens events for the calling child. Returns false if none could be opened.
  bool Open(VforkChild& child) noexcept;
  /// The tick of a child, on its own stack.
  void Tick(VforkChild& child, std::uint64_t pc) noexcept;
  /// Notes the CPU time of the calling child.
  void ReadClock(VforkChild& child) const noexcept;
  /// What the parent can find out about a child whose end no hook saw.
  void FindEnd(VforkChild& child, pid_t pid) const noexcept;
  /// Adds to the process's evidence.
  void Count(const VforkChild& child) noexcept;
  /// Moves the samples of a child into the spool.
  void Take(VforkChild& child, pid_t pid) noexcept;

  const ProcessState& process_;
  Kernel& kernel_;
  RingSource& rings_;
  Collector& collector_;
  const SampledEvents& events_;
  const Config& config_;
  std::atomic<unsigned> used_{0};
};

}  // namespace csink::agent

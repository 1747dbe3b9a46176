#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "profil/inside/collector/losses.h"
#include "profil/inside/collector/pauses.h"
#include "profil/inside/collector/process_clock.h"
#include "profil/inside/collector/short_threads.h"
#include "profil/inside/collector/thread_sums.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// The clock among the events that are sampled: its weights can be compared with CPU time.
struct SampledClock {
  int event = 0;            ///< Its column, whose weight is CPU time in ns; -1: no clock is sampled
  bool has_system = false;  ///< It samples system time, too
  /// CPU time of one sample, for estimates of what threads without samples would have given
  std::uint64_t period_ns = 1'000'003;
};

/// How much of the process is in samples, how much is not, and why. Counts while samples are taken,
/// adds the threads up when they end and at the end of the process, and writes the result into the
/// header of the spool and the records of its threads.
///
/// For each thread the CPU time since it was armed, less pauses, is what samples should stand for.
/// What is missing is assigned to a cause (Losses): no event, a full ring, a thread too short for a
/// sample; the rest of the process is unexplained.
///
/// Threads: SeeThread, the counts of BeginThread and process_clock().set_own_thread any; the rest
///          one at a time (the collector's lock).
/// Signals: safe (accounts_signal.cpp).
class Accounts {
 public:
  Accounts(Kernel& kernel, ThreadRegistry& registry, RingSource& rings, SpoolWriter& spool,
           const Pauses& pauses) noexcept
      : kernel_(kernel), registry_(registry), rings_(rings), spool_(spool), pauses_(pauses) {}

  const SampledClock& clock() const noexcept { return clock_; }
  void set_clock(const SampledClock& clock) noexcept { clock_ = clock; }
  /// No system call from now on (a sandbox). Notes the clocks of the process, which cannot be read
  /// later. From then on its CPU time is that of the samples. The second call changes nothing.
  void EnterSandbox() noexcept;
  /// The kernel has refused the sandbox.
  void LeaveSandbox() noexcept;

  ProcessClock& process_clock() noexcept { return process_clock_; }
  ShortThreadTable& short_threads() noexcept { return short_threads_; }
  /// What the samples do not show, as Store writes it into the header.
  spool::Evidence& evidence() noexcept { return evidence_; }
  Losses& losses() noexcept { return losses_; }

  // --- while samples are taken

  /// Counts a thread that exists but is not sampled, in a sandbox. Threads: any. No system call.
  void SeeThread() noexcept { __atomic_fetch_add(&threads_seen_, 1, __ATOMIC_RELAXED); }
  std::uint32_t threads_seen() const noexcept {
    return __atomic_load_n(&threads_seen_, __ATOMIC_RELAXED);
  }
  /// The accounts of a thread begin now. `armed`: it has an event. Reads the clock of `tid`.
  /// Threads: the new thread, or the one that adopts it.
  void BeginThread(ThreadSlot& slot, pid_t tid, bool armed) noexcept;
  /// Counts a sample of `weight` (events; ns for a clock) that was taken on the thread in `slot`.
  void CountSample(ThreadSlot& slot, std::size_t event, std::uint64_t weight) noexcept {
    ++samples_;
    ++slot.samples;
    if (static_cast<int>(event) == clock_.event) slot.clock_weight += weight;
  }
  /// Samples of children that shared this memory stand for `weight` ns, which are not CPU time of
  /// this process.
  void AddChildWeight(std::uint64_t weight) noexcept { child_weight_ns_ += weight; }
  /// Samples of all events.
  std::uint64_t samples() const noexcept { return samples_; }
  /// Counts samples that the kernel reports as dropped from the thread's ring.
  void CountLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept;
  /// Counts that the kernel throttled event number `event`.
  void CountThrottled(std::size_t event) noexcept;
  void CountDrain() noexcept { ++drains_; }
  /// Counts a look at a blocked thread (agent/waiting).
  void CountWait() noexcept { ++waits_; }
  /// CPU time of the agent's own work, to be shown as its cost. Threads: any.
  void AddOwnCost(std::uint64_t ns) noexcept {
    __atomic_fetch_add(&own_cost_ns_, ns, __ATOMIC_RELAXED);
  }
  std::uint64_t own_cost_ns() const noexcept {
    return __atomic_load_n(&own_cost_ns_, __ATOMIC_RELAXED);
  }
  /// The agent works on the calling thread until EndOwnWork: each Store adds what that has cost so
  /// far. Not in a sandbox.
  void BeginOwnWork() noexcept;
  void EndOwnWork() noexcept;
  /// The thread has switched all events that it opened off, or on again (prctl). Repeated calls
  /// with the same `off` have no effect. Threads: that thread, under the collector's lock.
  void SwitchedOff(ThreadSlot& slot, bool off) noexcept;
  /// The rings of a thread that lives on are about to be closed: adds what only their pages know.
  void CloseRings(const ThreadSlot& slot) noexcept { ended_.AddRings(rings_, slot); }

  // --- sums

  /// The thread has ended and is drained: adds it to the sums for good.
  void SettleEnded(ThreadSlot& slot) noexcept;
  /// Adds the running threads to a copy of the sums, as of now. May be repeated: an exec that fails
  /// settles, and the program lives on.
  void SettleLive() noexcept;
  /// Stores what the last drain knew of all threads in the columns of the events, for a program
  /// that is killed. No system call.
  void StoreLiveColumns() noexcept;
  /// Samples of all events and looks at blocked threads, plus what threads without samples (too
  /// short, not armed, unseen) would have given: decides whether a report is worth making. Unseen
  /// threads as of the last SettleLive.
  std::uint64_t Significance() const noexcept;

  /// Reads how long the running threads ran and waited for a processor, and stores it in the spool,
  /// for a program that is killed: after 50 ms at first, later at most once a second, and at most
  /// kMostReadings threads at once. Nothing if there is no spool, and in a sandbox.
  void LookAtThreads() noexcept;

  // --- results, into a header

  /// Writes everything that is known without a spool's records into `header`. The weights of the
  /// columns must be in `header` already, because the unexplained time is computed from them.
  void Store(spool::Header& header) noexcept;
  /// The columns of the events, as of the last SettleLive.
  void StoreSettledColumns(spool::Header& header) const noexcept { StoreColumns(settled_, header); }
  /// The times of all threads, as of the last SettleLive.
  const WallSums& settled_wall() const noexcept { return settled_.wall; }
  /// True if there is CPU time that the record of a small process cannot hold (unseen or switched
  /// off).
  bool has_rare_times() const noexcept { return unseen_ns_ != 0 || switched_off_ns_ != 0; }

  /// Begins all accounts anew: all samples were dropped, or this is a forked child.
  void Clear() noexcept;

 private:
  /// Readings of schedstat in one LookAtThreads: 64 take about 0.3 ms, 1 ms the first time.
  static constexpr unsigned kMostReadings = 64;

  /// Adds one thread to `sums` and its losses to losses_.
  void Settle(ThreadSlot& slot, bool ended, ThreadSums& sums) noexcept;
  /// Writes the thread's record, or adds the thread to the record that it shares with others.
  void StoreThread(ThreadSlot& slot, bool ended, std::uint64_t cpu_ns, ThreadSums& sums) noexcept;
  /// Adds a thread that has ended to a record with kThreadShared. Once for each thread.
  static void AddToShared(const ThreadSlot& slot, std::uint64_t cpu_ns,
                          spool::ThreadRecord& record) noexcept;
  /// CPU time of the process that the clock's samples in `header` stand for.
  std::uint64_t SampledNs(const spool::Header& header) const noexcept {
    return clock_.event < 0 ? 0 : header.events[clock_.event].weight - child_weight_ns_;
  }
  /// In a sandbox: the CPU time until it was entered, and of the samples since then.
  void StoreSandboxed(spool::Header& header) noexcept;
  /// Writes the sums into the spool, if there is one.
  void StoreSums(const ThreadSums& sums) noexcept;
  /// Writes the times of all events into the columns of `header`.
  void StoreColumns(const ThreadSums& sums, spool::Header& header) const noexcept;
  /// The clock of the agent's own work. With one thread that of the process: threads that help it
  /// (profil/inside/spool/file_piece.h) count as well.
  std::uint64_t OwnWorkClockNs() const noexcept;
  void AddOwnWork() noexcept;
  /// Finds the CPU time of threads that no slot knows.
  void CompareClocks(const ThreadSums& sums) noexcept;
  /// Reads the kernel's limit if an event was throttled, for the report.
  void LearnRateLimit() noexcept;
  /// Computes Loss::kUnexplained: CPU time less samples, other causes and pauses.
  void ExplainClock(const spool::Header& header, const CpuNs& process) noexcept;
  /// True if a thread of that CPU time needs no sample, because random first periods make the
  /// samples of others stand for it.
  bool OthersSpeakFor(std::uint64_t cpu_ns) const noexcept;
  /// The CPU clock of the slot's thread; as of the last drain if the thread has ended.
  std::uint64_t CpuNsOf(const ThreadSlot& slot) const noexcept;
  /// Whether the thread has a record of its own in the spool.
  bool HasRecord(const ThreadSlot& slot) const noexcept {
    return spool_.open() && slot.spool_thread != spool::kNone &&
           slot.spool_thread != spool::kMergedThread;
  }
  /// Adds the thread's times to the sums, and to the threads without a record.
  void AddWall(const ThreadSlot& slot, ThreadSums& sums) const noexcept;
  /// Writes the sums of the times into the spool, which must be open.
  void StoreWall(const ThreadSums& sums) noexcept;

  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  SpoolWriter& spool_;
  const Pauses& pauses_;
  SampledClock clock_;
  bool frozen_ = false;

  std::uint64_t samples_ = 0;
  std::uint64_t own_cost_ns_ = 0;     ///< CPU time of the agent; changed by atomic additions
  bool own_work_ = false;             ///< Between BeginOwnWork and EndOwnWork
  bool own_work_of_process_ = false;  ///< ... measured by the clock of the process
  std::uint64_t own_work_from_ns_ = 0;
  std::uint64_t child_weight_ns_ = 0;
  std::uint64_t drains_ = 0;
  std::uint64_t waits_ = 0;         ///< Looks at blocked threads
  std::uint32_t threads_seen_ = 0;  ///< Changed by atomic additions, as the next
  std::uint32_t threads_sampled_ = 0;
  std::uint64_t unseen_ns_ = 0;  ///< As of the last SettleLive, as the next
  std::uint64_t switched_off_ns_ = 0;
  spool::Evidence evidence_ = {};
  std::uint64_t sandbox_weight_ns_ = 0;  ///< Weight of the clock's samples before the sandbox
  std::uint64_t rate_limit_hz_ = 0;      ///< 0: no event was throttled, or unknown
  std::uint64_t next_look_ns_ = 0;       ///< CLOCK_MONOTONIC of the next LookAtThreads
  std::size_t first_looked_at_ = 0;      ///< Slot with which the next one begins
  Losses losses_;
  ShortThreadTable short_threads_;
  ProcessClock process_clock_;
  ThreadSums ended_;    ///< Of threads that have ended
  ThreadSums settled_;  ///< Of all threads, at the last SettleLive
};

}  // namespace csink

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "profil/collector/losses.h"
#include "profil/collector/pauses.h"
#include "profil/collector/process_clock.h"
#include "profil/collector/short_threads.h"
#include "profil/collector/thread_sums.h"
#include "profil/spool/writer.h"

namespace csink {

/// The clock among the events that are sampled.
struct SampledClock {
  int event = 0;            ///< Its column, whose weight is CPU time in ns; -1: no clock is sampled
  bool has_system = false;  ///< It samples system time, too
  std::uint64_t period_ns = 1'000'003;
};

/// How much of the process is in samples, how much is not, and why. Counts while samples are
/// taken, adds the threads up when they end and at the end of the process, and writes the result
/// into the header of the spool and the records of its threads.
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
  /// No system call from now on (a sandbox): clocks are taken from the last drain.
  void set_frozen(bool frozen) noexcept { frozen_ = frozen; }

  ProcessClock& process_clock() noexcept { return process_clock_; }
  ShortThreadTable& short_threads() noexcept { return short_threads_; }
  Losses& losses() noexcept { return losses_; }

  // --- while samples are taken

  /// A thread exists that nobody can watch. Threads: any. No system call.
  void SeeThread() noexcept { __atomic_fetch_add(&threads_seen_, 1, __ATOMIC_RELAXED); }
  std::uint32_t threads_seen() const noexcept {
    return __atomic_load_n(&threads_seen_, __ATOMIC_RELAXED);
  }
  /// The accounts of a thread begin; `armed` false: it got no event.
  void BeginThread(ThreadSlot& slot, pid_t tid, bool armed) noexcept;
  void CountSample(ThreadSlot& slot, std::size_t event, std::uint64_t weight) noexcept {
    ++samples_;
    ++slot.samples;
    if (static_cast<int>(event) == clock_.event) slot.clock_weight += weight;
  }
  /// Samples of all events.
  std::uint64_t samples() const noexcept { return samples_; }
  void CountLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept;
  void CountThrottled(std::size_t event) noexcept;
  void CountDrain() noexcept { ++drains_; }
  /// CPU time of the agent's own work, to be shown as its cost.
  void AddOwnCost(std::uint64_t ns) noexcept { own_cost_ns_ += ns; }
  /// The thread has switched all events that it opened off, or on again. Threads: that thread.
  void SwitchedOff(ThreadSlot& slot, bool off) noexcept;
  /// The rings of a thread that lives on are about to be closed.
  void CloseRings(const ThreadSlot& slot) noexcept { ended_.AddRings(rings_, slot); }

  // --- sums

  /// The thread has ended and is drained: it enters the sums for good.
  void SettleEnded(ThreadSlot& slot) noexcept;
  /// The threads that run enter the sums as of now. May be repeated: an exec that fails settles,
  /// and the program lives on.
  void SettleLive() noexcept;
  /// Stores what the last drain knew of all threads in the columns of the events, for a program
  /// that is killed. No system call.
  void StoreLiveColumns() noexcept;
  /// Samples of all events plus what unsampled and unseen threads would have given: decides
  /// whether a report is worth a line.
  std::uint64_t Significance() const noexcept;

  // --- results, into a header

  /// All that is known without a spool's records. The weights of the columns must be there.
  void Store(spool::Header& header) noexcept;
  /// The columns of the events, as of the last SettleLive.
  void StoreSettledColumns(spool::Header& header) const noexcept { StoreColumns(settled_, header); }
  /// CPU time that the header of a small process has no room for (unseen or switched off).
  bool has_rare_times() const noexcept { return unseen_ns_ != 0 || switched_off_ns_ != 0; }

  /// Everything begins anew: all samples are dropped, or this is a forked child.
  void Clear() noexcept;

 private:
  void Settle(ThreadSlot& slot, bool ended, ThreadSums& sums) noexcept;
  void StoreThread(ThreadSlot& slot, bool ended, std::uint64_t cpu_ns, ThreadSums& sums) noexcept;
  void StoreSums(const ThreadSums& sums) noexcept;
  void StoreColumns(const ThreadSums& sums, spool::Header& header) const noexcept;
  void CompareClocks(const ThreadSums& sums) noexcept;
  void LearnRateLimit() noexcept;
  void ExplainClock(const spool::Header& header, const CpuNs& process) noexcept;
  bool OthersSpeakFor(std::uint64_t cpu_ns) const noexcept;
  std::uint64_t CpuNsOf(const ThreadSlot& slot) const noexcept;

  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  SpoolWriter& spool_;
  const Pauses& pauses_;
  SampledClock clock_;
  bool frozen_ = false;

  std::uint64_t samples_ = 0;
  std::uint64_t own_cost_ns_ = 0;
  std::uint64_t drains_ = 0;
  std::uint32_t threads_seen_ = 0;
  std::uint32_t threads_sampled_ = 0;
  std::uint64_t unseen_ns_ = 0;
  std::uint64_t switched_off_ns_ = 0;
  std::uint64_t rate_limit_hz_ = 0;
  Losses losses_;
  ShortThreadTable short_threads_;
  ProcessClock process_clock_;
  ThreadSums ended_;    ///< Of threads that have ended
  ThreadSums settled_;  ///< Of all threads, at the last SettleLive
};

}  // namespace csink

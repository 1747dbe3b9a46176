#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/counting/thread_registry.h"
#include "core/overflow/overflow_source.h"
#include "core/overflow/ring_source.h"
#include "core/overflow/timer_source.h"
#include "core/util/futex_lock.h"
#include "profil/region_index.h"
#include "profil/spool/writer.h"

namespace csink {

/// Makes the spool when it is first needed (the agent knows where and for whom).
class SpoolFactory {
 public:
  /// True when `spool` is open afterwards. Called once, under the collector's
  /// lock, perhaps in a signal handler.
  virtual bool MakeSpool(SpoolWriter& spool) noexcept = 0;

 protected:
  ~SpoolFactory() = default;
};

/// Moves samples from the threads' rings into the spool and keeps the accounts:
/// what was sampled, what was lost and why.
///
/// Nothing is written to disk before `spool_threshold` samples were seen, so a
/// process that burns nothing leaves nothing.
///
/// Threads: everything but lock() wants the lock held.
/// Signals: safe (collector_signal.cpp) when the lock was had by TryLock.
class Collector final : public SampleSink {
 public:
  Collector(Kernel& kernel, ThreadRegistry& registry, RingSource& rings, TimerSource& timers,
            SpoolWriter& spool, RegionIndex& regions, SpoolFactory& factory) noexcept
      : kernel_(kernel),
        registry_(registry),
        rings_(rings),
        timers_(timers),
        spool_(spool),
        regions_(regions),
        factory_(factory) {}

  FutexLock& lock() noexcept { return lock_; }

  /// Samples before a spool is made while the program runs; 10 unless told
  /// otherwise, at most kMaxPending.
  void set_spool_threshold(std::size_t samples) noexcept;
  /// Samples that make a spool worth its while at the end of the process.
  void set_final_threshold(std::size_t samples) noexcept { final_threshold_ = samples; }
  /// Column of the clock event whose weight is CPU time in ns; -1: none.
  void set_clock_event(int event) noexcept { clock_event_ = event; }
  void set_clock_period(std::uint64_t period_ns) noexcept { clock_period_ns_ = period_ns; }

  /// A thread was armed: its accounts begin. `armed` false: it got no event.
  void BeginThread(ThreadSlot& slot, pid_t tid, bool armed) noexcept;
  /// Empties one slot.
  void DrainSlot(ThreadSlot& slot) noexcept;
  /// Empties every slot and updates the spool's header.
  void DrainAll() noexcept;
  /// The thread has ended or is about to: drain, settle its accounts, disarm, free the slot.
  void EndThread(ThreadSlot& slot) noexcept;
  /// Settles the accounts of threads that still run; for the end of the process.
  void SettleAll() noexcept;

  /// Makes the spool now (before a sandbox). False: impossible.
  bool EnsureSpool() noexcept;
  /// No system call from now on but those of the sources, also when no spool could be made.
  void Freeze() noexcept;

  /// The sandbox was refused.
  void Unfreeze() noexcept {
    frozen_soon_ = frozen_ = false;
    spool_.Unfreeze();
  }

  /// CPU time of our own work, to be shown as the agent's cost.
  void AddOwnCost(std::uint64_t ns) noexcept { own_cost_ns_ += ns; }

  /// Samples of all events plus what unsampled threads would have given: decides
  /// whether a report is worth a line.
  std::uint64_t Significance() const noexcept;
  std::uint64_t samples() const noexcept { return samples_; }
  /// A ring was more than half full at the last DrainAll: sweep sooner.
  unsigned fullest_eighths() const noexcept { return fullest_eighths_; }

  /// In a forked child: the accounts begin anew.
  void ResetAfterFork() noexcept;

  // SampleSink
  void OnSample(ThreadSlot& slot, std::size_t event, std::uint64_t pc,
                std::uint64_t weight) noexcept override;
  void OnMapping(const RingRecord& record) noexcept override;
  void OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept override;
  void OnThrottled(std::size_t event) noexcept override;

  static constexpr std::size_t kMaxPending = 16;

 private:
  struct Pending {
    std::uint64_t pc;
    std::uint64_t weight;
    std::uint64_t start_routine;
    std::uint32_t event;
    pid_t tid;
    char name[16];
  };
  /// Ended threads without a sample, by start routine. The last entry takes the rest.
  struct Routine {
    std::uint64_t start_routine;
    std::uint64_t threads;
    std::uint64_t cpu_ns;
    std::uint32_t spool_id;
  };
  /// Sums over threads. Ended threads enter once, living ones anew at each settling.
  struct Accounts {
    std::uint64_t enabled_ns[kMaxEventSpecs] = {};
    std::uint64_t running_ns[kMaxEventSpecs] = {};
    std::uint64_t merged_cpu_ns = 0;
    std::uint64_t merged_sampled_ns = 0;
    std::uint64_t no_ring_ns = 0;
  };
  static constexpr std::size_t kRoutines = 64;
  /// Above this, new buckets belong to thread 0.
  static constexpr std::uint64_t kPerThreadBucketBytes = 4u << 20;
  static constexpr std::uint32_t kMaxThreadRecords = 16 * 1024;

  void Place(std::uint32_t thread, std::size_t event, std::uint64_t pc,
             std::uint64_t weight) noexcept;
  std::uint32_t RegionOf(std::uint64_t pc) noexcept;
  std::uint32_t NewThreadRecord(pid_t tid, std::uint64_t start_routine, const char* name) noexcept;
  std::uint32_t ThreadOf(ThreadSlot& slot) noexcept;
  void FlushPending() noexcept;
  void Settle(ThreadSlot& slot, bool ended, Accounts& accounts) noexcept;
  void SettleLive() noexcept;
  void StoreAccounts(const Accounts& accounts) noexcept;
  void CountShortThread(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept;
  void UpdateHeader() noexcept;

  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  TimerSource& timers_;
  SpoolWriter& spool_;
  RegionIndex& regions_;
  SpoolFactory& factory_;
  FutexLock lock_;

  std::size_t spool_threshold_ = 10;
  std::size_t final_threshold_ = 10;
  int clock_event_ = 0;
  std::uint64_t clock_period_ns_ = 1'000'003;
  bool spool_failed_ = false;
  bool frozen_soon_ = false;
  bool frozen_ = false;  ///< No system call of ours, whether there is a spool or not.
  bool maps_read_this_drain_ = false;
  std::size_t pending_count_ = 0;
  Pending pending_[kMaxPending];
  std::size_t routine_count_ = 0;
  Routine routines_[kRoutines];
  Accounts ended_;
  std::uint32_t thread_records_ = 0;

  std::uint64_t samples_ = 0;
  std::uint64_t own_cost_ns_ = 0;
  std::uint64_t drains_ = 0;
  std::uint64_t lost_records_[kMaxEventSpecs] = {};
  std::uint64_t throttled_[kMaxEventSpecs] = {};
  std::uint64_t lost_ns_[spool::kLossCauses] = {};
  std::uint32_t threads_seen_ = 0;
  std::uint32_t threads_sampled_ = 0;
  unsigned fullest_eighths_ = 0;
};

}  // namespace csink

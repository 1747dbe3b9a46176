#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/sampling/overflow_source.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "core/util/futex_lock.h"
#include "core/util/text.h"
#include "profil/chains/caller_chains.h"
#include "profil/collector/pauses.h"
#include "profil/collector/pending_samples.h"
#include "profil/collector/phase.h"
#include "profil/regions/region_index.h"
#include "profil/spool/small_writer.h"
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
/// Nothing is written to disk before PendingSamples::kThreshold samples were seen, so a
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

  /// Samples that make a spool worth its while at the end of the process.
  void set_final_threshold(std::size_t samples) noexcept { final_threshold_ = samples; }
  /// The process may end now, or soon: what is drained from here on makes no spool while it is
  /// few. false: it lives on (its exec failed).
  void set_ending(bool ending) noexcept { ending_ = ending; }
  /// Its end is told, and may be read now: the spool stays complete, whoever drains after that.
  /// Threads: any.
  void EndIsTold(spool::End end, int detail) noexcept;
  /// Column of the clock event whose weight is CPU time in ns; -1: none.
  void set_clock_event(int event) noexcept { clock_event_ = event; }
  /// Callers are recorded by `chains`; nullptr: they are not. Before the first sample.
  void set_chains(CallerChains* chains) noexcept { chains_ = chains; }
  CallerChains* chains() noexcept { return chains_; }
  /// Whether it samples system time, too.
  void set_clock_has_system(bool has) noexcept { clock_has_system_ = has; }
  void set_clock_period(std::uint64_t period_ns) noexcept { clock_period_ns_ = period_ns; }

  /// A thread was armed: its accounts begin. `armed` false: it got no event.
  void BeginThread(ThreadSlot& slot, pid_t tid, bool armed) noexcept;
  /// What becomes of events that began with a random first period: kReplace gives them their full
  /// one where it is due (RingSource::DrainAndMakeSteady), while the program runs.
  enum class FirstPeriods { kLeave, kReplace };
  /// Empties one slot.
  void DrainSlot(ThreadSlot& slot, FirstPeriods first = FirstPeriods::kLeave) noexcept;
  /// Empties every slot and updates the spool's header.
  void DrainAll(FirstPeriods first = FirstPeriods::kLeave) noexcept;
  /// At the last DrainAll an event in its first period had fired, and is in it still: sweep again
  /// soon.
  bool young() const noexcept { return young_; }
  /// The thread has ended or is about to: drain, settle its accounts, disarm, free the slot.
  void EndThread(ThreadSlot& slot) noexcept;
  /// Settles the accounts of threads that still run; for the end of the process.
  void SettleAll() noexcept;

  // Pauses (pause_signal.cpp); their state and why they rest: profil/collector/pauses.h.

  Pauses& pauses() noexcept { return pauses_; }
  const Pauses& pauses() const noexcept { return pauses_; }
  /// What was sampled so far counts, what comes from now on does not.
  void Pause() noexcept;
  /// Closes the events of all threads.
  void Rest() noexcept;
  /// Samples count again. The events must have been armed again (see Pauses::resting).
  void Resume() noexcept;
  /// Learns what was mapped while no event was there to tell.
  void ReadMapsAgain() noexcept;
  /// Makes one thread's account agree with the state; its events are its owner's matter.
  void AgreeOnPause(ThreadSlot& slot) noexcept;
  /// Closes one thread's events.
  void RestSlot(ThreadSlot& slot) noexcept;
  /// CPU time in pauses so far, as the header has it.
  std::uint64_t PausedNs() const noexcept;

  /// Everything sampled from now on belongs to this mark. False: no spool, or no room in it.
  bool Mark(std::string_view name) noexcept;
  const CurrentPhase& phase() const noexcept { return phase_; }

  /// Throws everything sampled so far away, with the spool. Pause and mark stay as they are.
  void StartAnew() noexcept;
  /// Puts a process without a spool into `record`: one thread, few samples. `header` says who
  /// it is; its accounts are filled in here. False: it is worth a spool. After DrainAll, instead
  /// of SettleAll.
  bool DescribeSmall(SmallRecordWriter& record, spool::Header& header) noexcept;

  /// Makes the spool now (before a sandbox). False: impossible.
  bool EnsureSpool() noexcept;
  /// No system call from now on but those of the sources, also when no spool could be made.
  void Freeze() noexcept;

  /// The sandbox was refused.
  void Unfreeze() noexcept {
    frozen_soon_ = frozen_ = false;
    spool_.Unfreeze();
  }

  static constexpr std::size_t kForEver = 3;
  /// Rings tell no mappings any more: the first sample after a library went away asks the
  /// kernel anew what is mapped, unless it lies beside one of these PCs (0: none), whose
  /// mappings stay as long as the process.
  void set_maps_untold(const std::uint64_t (&for_ever)[kForEver]) noexcept {
    for (std::size_t i = 0; i < kForEver; ++i) for_ever_[i] = for_ever[i];
    maps_untold_ = true;
  }
  /// A library has gone or is about to go. Threads: any, without the lock.
  void MapsMayChange() noexcept { maps_changed_.store(true, std::memory_order_release); }
  /// Samples wait for a spool.
  bool waiting() const noexcept { return !pending_.empty(); }
  /// A library is about to go. What the rings hold is taken out, and gets its place if some of it
  /// lies in code of which `may_go` says so, or has callers, who may lie anywhere. Else it waits on
  /// for a spool, at most PendingSamples::kMax samples until the next DrainAll.
  void DrainBeforeUnload(bool (*may_go)(std::uint64_t pc)) noexcept;
  /// Samples or other records wait in some ring.
  bool AnythingPending() noexcept;

  /// CPU time of our own work, to be shown as the agent's cost.
  void AddOwnCost(std::uint64_t ns) noexcept { own_cost_ns_ += ns; }
  /// CPU time of threads of our own, which are nobody's slot.
  void AddOwnThread(std::uint64_t ns) noexcept { own_threads_ns_ += ns; }
  /// One that lives on: its clock is read when it is needed. 0: none. Threads: any.
  void set_own_thread(pid_t tid) noexcept { __atomic_store_n(&own_thread_, tid, __ATOMIC_RELAXED); }

  /// A thread that nobody can watch, in a sandbox. Threads: any. No system call.
  void SeeThread() noexcept { __atomic_fetch_add(&threads_seen_, 1, __ATOMIC_RELAXED); }

  /// The thread has switched all events that it opened off, or on again. Threads: that one.
  void SwitchedOff(ThreadSlot& slot, bool off) noexcept;

  /// Samples of all events plus what unsampled threads would have given, unseen ones too: decides
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
  void OnStackSample(ThreadSlot& slot, std::size_t event, const StackSample& sample,
                     std::uint64_t weight) noexcept override;
  void OnMapping(const RingRecord& record) noexcept override;
  void OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept override;
  void OnThrottled(std::size_t event) noexcept override;

 private:
  /// Ended threads without a sample, by start routine. The last entry takes the rest.
  struct Routine {
    std::uint64_t start_routine;
    std::uint64_t threads;
    std::uint64_t cpu_ns;
    std::uint32_t spool_id;
  };
  /// Sums over threads. Ended threads enter once, living ones anew at each settling.
  struct Accounts {
    EventAccount::Totals events[kMaxEventSpecs] = {};
    std::uint64_t due_ns = 0;  ///< CPU time of armed threads, less pauses and times switched off
    std::uint64_t merged_cpu_ns = 0;
    std::uint64_t merged_sampled_ns = 0;
    std::uint64_t no_ring_ns = 0;
    std::uint64_t known_cpu_ns = 0;  ///< CPU clocks of all threads that we know
    std::uint64_t switched_off_ns = 0;
  };

  static constexpr std::size_t kRoutines = 64;
  /// Above this, new buckets belong to thread 0.
  static constexpr std::uint64_t kPerThreadBucketBytes = 4u << 20;
  static constexpr std::uint32_t kMaxThreadRecords = 16 * 1024;

  void Place(std::uint32_t thread, std::size_t event, std::uint64_t pc, std::uint64_t weight,
             const StackSample* stack) noexcept;
  void Take(ThreadSlot& slot, std::size_t event, std::uint64_t pc, std::uint64_t weight,
            const StackSample* stack) noexcept;
  std::uint32_t RegionOf(std::uint64_t pc) noexcept;
  bool StaysForEver(std::uint32_t region) noexcept;
  std::uint32_t NewThreadRecord(pid_t tid, std::uint64_t start_routine, const char* name) noexcept;
  std::uint32_t ThreadOf(ThreadSlot& slot) noexcept;
  void FlushPending() noexcept;
  void Settle(ThreadSlot& slot, bool ended, Accounts& accounts) noexcept;
  void SettleEvents(const ThreadSlot& slot, std::uint64_t due_ns, bool own,
                    Accounts& accounts) noexcept;
  /// CPU time since the thread was armed, less pauses and times switched off.
  static std::uint64_t DueNs(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept;
  void StoreLiveColumns() noexcept;
  /// What `accounts` say of the events, into the columns.
  void StoreColumns(const Accounts& accounts, spool::Header& header) const noexcept;
  void SettleLive() noexcept;
  void StoreAccounts(const Accounts& accounts) noexcept;
  void CompareClocks(const Accounts& accounts) noexcept;
  void BeginProcessClock(std::uint64_t known_ns) noexcept;
  bool OthersSpeakFor(std::uint64_t cpu_ns) const noexcept;
  void CountShortThread(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept;
  std::size_t WaitingLimit() const noexcept;
  void UpdateHeader() noexcept;
  void ClearAccounts() noexcept;
  CurrentPhase::Times PhaseTimes() const noexcept;
  void StorePauseAndPhase(spool::Header& header, const CpuNs& process) noexcept;
  /// Who, when and what was lost; everything that a process with or without a spool can say.
  void FillAccounts(spool::Header& header) noexcept;

  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  TimerSource& timers_;
  SpoolWriter& spool_;
  RegionIndex& regions_;
  SpoolFactory& factory_;
  CallerChains* chains_ = nullptr;
  FutexLock lock_;

  std::size_t final_threshold_ = 10;
  bool clock_has_system_ = false;
  int clock_event_ = 0;
  std::uint64_t clock_period_ns_ = 1'000'003;
  bool ending_ = false;
  bool end_is_told_ = false;  ///< Threads: any
  bool spool_failed_ = false;
  bool frozen_soon_ = false;
  bool frozen_ = false;  ///< No system call of ours, whether there is a spool or not.
  bool maps_read_this_drain_ = false;
  bool maps_untold_ = false;
  std::uint64_t for_ever_[kForEver] = {};
  std::atomic<bool> maps_changed_{false};
  PendingSamples pending_;
  std::size_t routine_count_ = 0;
  Routine routines_[kRoutines];
  Accounts ended_;
  Accounts settled_;  ///< Of all threads, at the last SettleLive
  std::uint32_t thread_records_ = 0;

  std::uint64_t samples_ = 0;
  std::uint64_t own_cost_ns_ = 0;
  std::uint64_t own_threads_ns_ = 0;
  pid_t own_thread_ = 0;
  /// Of the process clock, what belongs to no thread that we could know: earlier images' threads.
  std::uint64_t foreign_ns_ = 0;
  bool process_clock_known_ = false;
  std::uint64_t unseen_ns_ = 0;
  std::uint64_t switched_off_ns_ = 0;
  std::uint64_t drains_ = 0;
  std::uint64_t lost_records_[kMaxEventSpecs] = {};
  std::uint64_t throttled_[kMaxEventSpecs] = {};
  std::uint64_t rate_limit_hz_ = 0;
  std::uint64_t bad_stacks_ = 0;
  std::uint64_t lost_ns_[spool::kLossCauses] = {};
  std::uint32_t threads_seen_ = 0;
  std::uint32_t threads_sampled_ = 0;
  unsigned fullest_eighths_ = 0;
  bool young_ = false;

  Pauses pauses_;
  CurrentPhase phase_;
};

}  // namespace csink

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/sampling/ring_source.h"
#include "core/sampling/sample_sink.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "core/util/futex_lock.h"
#include "core/util/text.h"
#include "profil/chains/caller_chains.h"
#include "profil/collector/accounts.h"
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

/// Moves samples from the threads' rings into the spool. What was sampled, what was lost and why is
/// in its Accounts; samples that wait for the spool, pauses and phases are types of their own, too.
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
        factory_(factory),
        accounts_(kernel, registry, rings, spool, pauses_) {}

  FutexLock& lock() noexcept { return lock_; }
  Accounts& accounts() noexcept { return accounts_; }
  const Accounts& accounts() const noexcept { return accounts_; }

  /// Samples that make a spool worth its while at the end of the process.
  void set_final_threshold(std::size_t samples) noexcept { final_threshold_ = samples; }
  /// The process may end now, or soon: what is drained from here on makes no spool while it is
  /// few. false: it lives on (its exec failed).
  void set_ending(bool ending) noexcept { ending_ = ending; }
  /// Its end is told, and may be read now: the spool stays complete, whoever drains after that.
  /// Threads: any.
  void EndIsTold(spool::End end, int detail) noexcept;
  /// Callers are recorded by `chains`; nullptr: they are not. Before the first sample.
  void set_chains(CallerChains* chains) noexcept { chains_ = chains; }
  CallerChains* chains() noexcept { return chains_; }
  /// What becomes of events that began with a random first period: kReplace gives them their full
  /// one where it is due (RingSource::DrainAndMakeSteady), while the program runs.
  enum class FirstPeriods { kLeave, kReplace };
  /// Empties one slot.
  void DrainSlot(ThreadSlot& slot, FirstPeriods first = FirstPeriods::kLeave) noexcept;
  /// Empties every slot and updates the spool's header.
  void DrainAll(FirstPeriods first = FirstPeriods::kLeave) noexcept;
  /// True if the last DrainAll found an event that has fired and still has its first, random period
  /// (core/sampling/first_period.h). The caller should drain again soon, to replace the event.
  bool needs_early_sweep() const noexcept { return needs_early_sweep_; }
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
  void CloseEvents() noexcept;
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
    accounts_.set_frozen(false);
    spool_.Unfreeze();
  }

  static constexpr std::size_t kForEver = 3;
  /// Rings tell no mappings any more: the first sample after a library went away asks the
  /// kernel anew what is mapped, unless it lies beside one of these PCs (0: none), whose
  /// mappings stay as long as the process.
  void set_maps_untold(const std::uint64_t (&for_ever)[kForEver]) noexcept {
    for (std::size_t i = 0; i < kForEver; ++i) for_ever_[i] = for_ever[i];
    mapping_records_off_ = true;
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
  /// Above this, new buckets belong to thread 0.
  static constexpr std::uint64_t kPerThreadBucketBytes = 4u << 20;
  static constexpr std::uint32_t kMaxThreadRecords = 16 * 1024;

  void Place(std::uint32_t thread, std::size_t event, std::uint64_t pc, std::uint64_t weight,
             const StackSample* stack) noexcept;
  void Take(ThreadSlot& slot, std::size_t event, std::uint64_t pc, std::uint64_t weight,
            const StackSample* stack) noexcept;
  std::uint32_t RegionOf(std::uint64_t pc) noexcept;
  bool CannotBeUnloaded(std::uint32_t region) noexcept;
  std::uint32_t NewThreadRecord(pid_t tid, std::uint64_t start_routine, const char* name) noexcept;
  std::uint32_t ThreadOf(ThreadSlot& slot) noexcept;
  void FlushPending() noexcept;
  std::size_t WaitingLimit() const noexcept;
  void UpdateHeader() noexcept;
  void ClearAccounts() noexcept;
  void StoreRoutines() noexcept;
  CurrentPhase::Times PhaseTimes() const noexcept;

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
  bool ending_ = false;
  bool end_is_told_ = false;  ///< Threads: any
  bool spool_failed_ = false;
  bool frozen_soon_ = false;
  bool frozen_ = false;  ///< No system call of ours, whether there is a spool or not.
  bool maps_read_this_drain_ = false;
  bool mapping_records_off_ = false;
  std::uint64_t for_ever_[kForEver] = {};
  std::atomic<bool> maps_changed_{false};
  PendingSamples pending_;
  std::uint32_t thread_records_ = 0;

  std::uint64_t bad_stacks_ = 0;
  unsigned fullest_eighths_ = 0;
  bool needs_early_sweep_ = false;

  Pauses pauses_;
  CurrentPhase phase_;
  Accounts accounts_;
};

}  // namespace csink

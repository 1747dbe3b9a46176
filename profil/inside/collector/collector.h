#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/sampling/left_rings.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/sample_sink.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "core/util/futex_lock.h"
#include "core/util/text.h"
#include "profil/inside/chains/caller_chains.h"
#include "profil/inside/collector/accounts.h"
#include "profil/inside/collector/pauses.h"
#include "profil/inside/collector/pending_samples.h"
#include "profil/inside/collector/phase.h"
#include "profil/inside/collector/shared_records.h"
#include "profil/inside/collector/time_line.h"
#include "profil/inside/collector/timed_records.h"
#include "profil/inside/python/python_frames.h"
#include "profil/inside/regions/region_index.h"
#include "profil/inside/spool/small_writer.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// Creates the spool when it is first needed. The agent implements this interface: it knows the
/// folder and the header.
class SpoolFactory {
 public:
  /// Returns true if `spool` is open afterwards. Called once, with the collector's lock held,
  /// possibly in a signal handler.
  virtual bool MakeSpool(SpoolWriter& spool) noexcept = 0;

 protected:
  ~SpoolFactory() = default;
};

/// Moves samples from the threads' rings into the spool. Accounts has the numbers of samples and of
/// losses, with their causes. PendingSamples has the samples that wait for the spool, Pauses the
/// pauses, CurrentPhase the phase.
///
/// The spool is created when PendingSamples::kThreshold samples were taken, so that a process which
/// uses no CPU time leaves no file. A process that is about to end (set_ending) keeps up to
/// PendingSamples::kMax samples without a spool, because it may leave a small record.
///
/// Owns:    its parts by value; sources, spool, regions and factory are references that must live
///          longer.
/// Threads: the caller holds lock(), except where a function says otherwise. Outside of handlers
///          the caller blocks all signals before it takes the lock.
/// Signals: safe (collector_signal.cpp) if the handler got the lock by TryLock.
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
        accounts_(kernel, registry, rings, spool, pauses_),
        time_line_(kernel, registry, spool),
        timed_(spool) {}

  /// The lock of this object and of the spool.
  FutexLock& lock() noexcept { return lock_; }
  Accounts& accounts() noexcept { return accounts_; }
  const Accounts& accounts() const noexcept { return accounts_; }

  /// The least number of samples for which a spool is created at the end of the process.
  void set_final_threshold(std::size_t samples) noexcept { final_threshold_ = samples; }
  /// True: the process is about to end, so samples below the final threshold create no spool from
  /// now on. False: the process continues, because its exec failed.
  void set_ending(bool ending) noexcept {
    ending_ = ending;
    last_ = false;
  }
  /// The next drain is the last one of the image, unless its exec fails (set_ending).
  void set_last() noexcept { last_ = true; }
  /// Writes the end of the process into the spool, which a reader may now open. The spool stays
  /// complete if another thread drains later. Threads: any, with or without the lock.
  void MarkEnd(spool::End end, int detail) noexcept;
  /// Sets the recorder of callers; nullptr: callers are not recorded. Call before the first sample.
  void set_chains(CallerChains* chains) noexcept { chains_ = chains; }
  CallerChains* chains() noexcept { return chains_; }
  /// Samples get their Python functions; requires set_chains, whose nodes and facts are used. With
  /// ChainWay::kUnknown the chains have nothing else. Call before the first sample.
  void set_python(PythonFrames* python) noexcept { python_ = python; }
  /// How a drain treats events that still have their random first period. kReplace gives an event
  /// its full period if the replacement is due (RingSource::DrainAndMakeSteady).
  enum class FirstPeriods { kLeave, kReplace };
  /// Takes all samples out of one thread's rings.
  void DrainSlot(ThreadSlot& slot, FirstPeriods first = FirstPeriods::kLeave) noexcept;
  /// Takes all samples out of all threads' rings, ends all threads that have left their slots, and
  /// updates the spool's header.
  void DrainAll(FirstPeriods first = FirstPeriods::kLeave) noexcept;
  /// The same in turns, between which the caller gives the lock back: BeginDrain, DrainTurn until
  /// it returns false, FinishDrain. Threads that have left are the caller's (EndSome).
  void BeginDrain() noexcept;
  /// Drains some slots from `next` on, which the first turn gets as 0.
  bool DrainTurn(FirstPeriods first, std::size_t& next) noexcept;
  void FinishDrain() noexcept;
  /// True if the last DrainAll found an event that has fired and still has its first, random period
  /// (core/sampling/first_period.h). The caller should drain again soon, to replace the event.
  bool needs_early_sweep() const noexcept { return needs_early_sweep_; }
  /// For a thread that has ended or is about to end, and is not in the registry's list: drains,
  /// settles the thread's accounts, disarms its events and frees the slot.
  void EndThread(ThreadSlot& slot) noexcept;
  /// The same for threads in the registry's list (ThreadRegistry::PutEnded), until `left` is full;
  /// the caller unmaps their rings after it has given the lock back. Returns true if `left` is
  /// full: there may be more. Not in a sandbox.
  bool EndSome(LeftRings& left) noexcept;
  /// At the end of the process: settles the accounts of the threads that still run.
  void SettleAll() noexcept;

  // Pauses (pause_signal.cpp). Their state, and when the events are closed: pauses.h.

  Pauses& pauses() noexcept { return pauses_; }
  const Pauses& pauses() const noexcept { return pauses_; }
  /// Begins a pause: samples that are taken from now on are discarded.
  void Pause() noexcept;
  /// Closes the events of all threads.
  void CloseEvents() noexcept;
  /// Ends a pause. The caller has armed closed events again (Pauses::resting).
  void Resume() noexcept;
  /// Reads the mappings that were made while all events were closed and none could report them.
  void ReadMapsAgain() noexcept;
  /// Updates one thread's account to the state of the pause. The caller opens or closes its events.
  void AgreeOnPause(ThreadSlot& slot) noexcept;
  /// Closes one thread's events.
  void RestSlot(ThreadSlot& slot) noexcept;
  /// CPU time of the process in pauses so far, in ns, as in the spool's header.
  std::uint64_t PausedNs() const noexcept;

  /// Begins the phase `name`: later samples belong to it. Returns false if there is no spool, or no
  /// space in the spool.
  bool Mark(std::string_view name) noexcept;
  const CurrentPhase& phase() const noexcept { return phase_; }

  /// Discards all samples and the spool. The pause and the phase stay as they are.
  void StartAnew() noexcept;
  /// Describes a process that has one thread, few samples and no spool in `record`. `header`
  /// identifies the process; this function fills in its accounts. Returns false if the process
  /// needs a spool. Call after DrainAll, instead of SettleAll.
  bool DescribeSmall(SmallRecordWriter& record, spool::Header& header) noexcept;

  /// Creates the spool if there is none, for example before a sandbox. Returns false if that fails.
  bool EnsureSpool() noexcept;
  /// From now on the collector makes no system calls but those of the sources, even if no spool
  /// could be created.
  void Freeze() noexcept;
  /// The same for a handler on the thread that holds the lock: no spool is made and nothing is
  /// drained, because the interrupted code may be in the middle of either.
  void FreezeAsItIs() noexcept;

  /// Reverts both, because the kernel refused the sandbox.
  void Unfreeze() noexcept {
    frozen_soon_ = frozen_ = false;
    if (moments_) moments_->Hold(false);
    accounts_.LeaveSandbox();
    spool_.Unfreeze();
  }

  static constexpr std::size_t kLastingPcs = 3;
  /// The rings do not record mappings any more. The first sample after an unload then reads the
  /// mappings from the kernel, unless the sample lies in the mapping of one of the PCs `lasting`
  /// (0: none), which cannot be unloaded.
  void set_mapping_records_off(const std::uint64_t (&lasting)[kLastingPcs]) noexcept {
    for (std::size_t i = 0; i < kLastingPcs; ++i) lasting_pcs_[i] = lasting[i];
    mapping_records_off_ = true;
  }
  /// A library was unloaded or is about to be. Threads: any, without the lock.
  void MapsMayChange() noexcept { maps_changed_.store(true, std::memory_order_release); }
  /// True if samples wait for a spool.
  bool waiting() const noexcept { return !pending_.empty(); }
  /// Before a library is unloaded: drains all rings. The samples are assigned to their mappings now
  /// if one of them lies in code for which `may_go` returns true, or has callers (which may lie
  /// anywhere). Otherwise they stay pending, at most PendingSamples::kMax of them until the next
  /// DrainAll.
  void DrainBeforeUnload(bool (*may_go)(std::uint64_t pc)) noexcept;
  /// True if a ring of a live thread contains samples or other records. No system call. CPU timers
  /// are not looked at.
  bool AnythingPending() noexcept;

  /// How full the fullest ring was at the last DrainAll, in eighths. The agent thread sweeps sooner
  /// from 3 on.
  unsigned fullest_eighths() const noexcept { return fullest_eighths_; }

  /// A sample of a child, taken by a timer. `weight` in ns.
  struct ChildTick {
    std::uint64_t pc;
    std::uint64_t weight;
  };
  /// A child that shared this memory has called exec, or has ended: moves its samples into the
  /// spool, as those of a process of its own, and closes its events. `slot` is not in the registry.
  /// `facts`: the child's record without flags. `ticks` need a clock event.
  void TakeChild(ThreadSlot& slot, const spool::ThreadRecord& facts, const ChildTick* ticks,
                 std::size_t count) noexcept;

  // Records with times (CSINK_CRITICAL).

  /// From now on moments, samples and switches are recorded with their times; a spool is made at
  /// the first of them. `moments`: nullptr: none come from hooks. Before the first sample.
  void RecordTimes(MomentSource* moments) noexcept {
    moments_ = moments;
    timed_.Start(moments != nullptr);
  }
  bool records_times() const noexcept { return timed_.on(); }
  /// The process ends now. After the last drain.
  void EndTimes() noexcept;

  // For the observer of blocked threads (agent/waiting); under the lock.

  /// The record of the slot's thread, added if it has none; kMergedThread: there is no room.
  /// Requires an open spool.
  std::uint32_t ThreadRecordOf(ThreadSlot& slot) noexcept { return ThreadOf(slot); }
  /// The region of `pc`, as for a sample. Requires an open spool.
  std::uint32_t RegionFor(std::uint64_t pc) noexcept { return RegionOf(pc); }
  /// Increases when all records of the spool are forgotten. Never 0.
  std::uint32_t epoch() const noexcept { return epoch_; }
  bool frozen() const noexcept { return frozen_; }

  /// In a forked child: clears the accounts.
  void ResetAfterFork() noexcept;

  /// SampleSink: called by the sources while a ring is drained. `event`: number of the event's
  /// column; `weight`: events for which the sample stands, ns for a clock.
  void OnSample(ThreadSlot& slot, std::size_t event, std::uint64_t pc,
                std::uint64_t weight) noexcept override;
  void OnStackSample(ThreadSlot& slot, std::size_t event, const StackSample& sample,
                     std::uint64_t weight) noexcept override;
  void OnMapping(const RingRecord& record) noexcept override;
  void OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept override;
  void OnThrottled(std::size_t event) noexcept override;
  void OnTime(std::uint64_t time_ns) noexcept override { sample_ns_ = time_ns; }
  void OnSwitch(ThreadSlot& slot, std::uint64_t time_ns, Switch how) noexcept override;
  void OnLostUntil(ThreadSlot& slot, std::uint64_t time_ns) noexcept override;

 private:
  /// Once the buckets take 4 MiB, new threads share thread 0: buckets for each thread would
  /// multiply the spool.
  static constexpr std::uint64_t kPerThreadBucketBytes = 4u << 20;
  /// Threads with a record of their own; further ones are merged.
  static constexpr std::uint32_t kMaxThreadRecords = 16 * 1024;

  /// Slots of one DrainTurn.
  static constexpr std::size_t kSlotsPerTurn = 16;

  /// Drains a slot of a thread that ends, and settles its accounts.
  void SettleEnd(ThreadSlot& slot) noexcept;
  /// Whether a slot that ends has no sample, by its CPU clock (RingSource::LeavesAlone).
  bool LeavesAlone(ThreadSlot& slot) noexcept;
  /// Whether a sweep leaves a young thread with few samples to its end, so that it shares a record
  /// (SharedRecords). The samples of so few threads may be lost in a kill -9.
  bool LeavesYoung(const ThreadSlot& slot) noexcept;
  /// EndSome for all. In a sandbox the rings stay mapped, but belong to nobody.
  void EndAll() noexcept;
  /// Counts a sample in the spool, which must be open. `stack`: nullptr: without callers.
  /// Returns true if the sample's callers lie behind the copied part of the stack.
  bool Place(std::uint32_t thread, std::size_t event, std::uint64_t pc, std::uint64_t weight,
             const StackSample* stack) noexcept;
  /// The chain of callers of a sample, with its place in Python code. `stop`: how the callers
  /// ended.
  std::uint32_t ChainOf(const StackSample& stack, ChainStop& stop, bool& short_copy) noexcept;
  /// Whether samples get their callers, not Python functions alone.
  bool RecordsCallers() const noexcept {
    return chains_ && (!python_ || chains_->way() != spool::ChainWay::kUnknown);
  }
  /// Whether a record with a time can be added now; makes the spool if there is none.
  bool CanAddTimed() noexcept;
  /// Takes the moments, and the begins of threads. `last`: see MomentSource.
  void TakeMoments(bool last) noexcept;
  /// Has more of the stack copied if the callers of many samples were behind the copied part.
  void GrowStack(ThreadSlot& slot) noexcept;
  /// Counts a sample, and places it or lets it wait for the spool.
  void Take(ThreadSlot& slot, std::size_t event, std::uint64_t pc, std::uint64_t weight,
            const StackSample* stack) noexcept;
  /// The region of `pc`; reads the mappings if they may have changed. kNone: the table is full.
  std::uint32_t RegionOf(std::uint64_t pc) noexcept;
  /// True if the region contains one of the PCs of set_mapping_records_off.
  bool CannotBeUnloaded(std::uint32_t region) noexcept;
  /// Adds a thread to the spool, or returns kMergedThread. `flags` as in spool::ThreadRecord.
  std::uint32_t NewThreadRecord(pid_t tid, std::uint64_t start_routine, const char* name,
                                std::uint32_t flags = 0) noexcept;
  /// The record of the slot's thread, added at the first sample.
  std::uint32_t ThreadOf(ThreadSlot& slot) noexcept;
  /// Reads the name of the slot's thread, if the slot has none yet.
  void NameSlot(ThreadSlot& slot) noexcept;
  /// Adds a record for the slot's thread, or returns the one that it shares with others.
  std::uint32_t AddThreadOf(ThreadSlot& slot) noexcept;
  /// The record of a child; further ones share one. kMergedThread: no room.
  std::uint32_t ChildRecord(const spool::ThreadRecord& facts) noexcept;
  /// Has PythonFrames learn from the waiting samples, before they are placed.
  void LearnPython() noexcept;
  /// Moves the waiting samples into the spool.
  void FlushPending() noexcept;
  /// Number of waiting samples from which on a spool is made.
  std::size_t WaitingLimit() const noexcept;
  /// Replaces all events that still have a first period of their own.
  void MakeAllSteady() noexcept;
  /// Writes times and losses into the spool's header, if there is one.
  void UpdateHeader() noexcept;
  /// Forgets everything sampled, and what was known of the spool.
  void ClearAccounts() noexcept;
  /// Writes the short threads into the spool.
  void StoreRoutines() noexcept;
  /// The clocks as a phase needs them; three system calls at most.
  CurrentPhase::Times PhaseTimes() const noexcept;

  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  TimerSource& timers_;
  SpoolWriter& spool_;
  RegionIndex& regions_;
  SpoolFactory& factory_;
  CallerChains* chains_ = nullptr;
  PythonFrames* python_ = nullptr;
  FutexLock lock_;

  /// Significance below which no spool is made at the end
  std::size_t final_threshold_ = 10;
  bool ending_ = false;         ///< See set_ending
  bool last_ = false;           ///< See set_last
  bool end_is_marked_ = false;  ///< The spool has the end of the process. Threads: any
  bool spool_failed_ = false;   ///< No spool could be made; it is not tried again
  bool frozen_soon_ = false;    ///< Freeze has begun: the spool must know all mappings
  bool frozen_ = false;         ///< No system calls of the collector, with or without a spool.
  bool maps_read_this_drain_ = false;  ///< The mappings are read once a drain at most
  bool mapping_records_off_ = false;   ///< See set_mapping_records_off
  std::uint64_t lasting_pcs_[kLastingPcs] = {};
  std::atomic<bool> maps_changed_{false};  ///< See MapsMayChange
  PendingSamples pending_;
  std::uint32_t thread_records_ = 0;  ///< Number of threads in the spool
  std::uint32_t child_records_ = 0;   ///< Records of children
  std::uint32_t shared_child_ = spool::kNone;
  SharedRecords shared_records_;
  const ThreadSlot* ending_slot_ = nullptr;  ///< The slot that EndThread drains

  std::uint64_t drain_ns_ = 0;        ///< Of BeginDrain; 0: no time line
  std::size_t left_young_ = 0;        ///< Of LeavesYoung, since BeginDrain
  std::uint32_t epoch_ = 1;           ///< See epoch
  ThreadSlot::LastPlace placed_;      ///< Of the last sample that had a place
  std::uint64_t bad_stacks_ = 0;      ///< Samples whose chain was cut
  std::uint64_t placed_samples_ = 0;  ///< Changes when Place has found a place
  unsigned fullest_eighths_ = 0;
  bool needs_early_sweep_ = false;

  Pauses pauses_;
  CurrentPhase phase_;
  Accounts accounts_;
  TimeLine time_line_;
  TimedRecords timed_;
  MomentSource* moments_ = nullptr;
  std::uint64_t sample_ns_ = 0;  ///< See OnTime
};

}  // namespace csink

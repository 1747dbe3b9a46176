#pragma once

#include <atomic>

#include "core/sampling/core_kinds.h"
#include "core/sampling/sample_sink.h"
#include "core/sampling/sampling_attr.h"
#include "core/util/result.h"

namespace csink {

/// The default source: the kernel writes records of 16 bytes (header and PC; 24 in frequency mode)
/// into a small ring for each thread and event. The program is interrupted by the counters alone,
/// not by signals, so threads that block every signal are sampled, too.
///
/// Ring sizes: 64 KiB for the main thread, 16 KiB for others, 8 KiB beyond 64 threads, one page
/// beyond 256: at 1 kHz 8 KiB last half a second of CPU time, and the kernel's budget for locked
/// memory of unprivileged users (516 KiB a CPU and 8 MiB a process) is shared by all threads. When
/// the budget is spent, smaller rings are tried down to one page.
///
/// A software event's first period may be random (FirstPeriod): then Arm opens an event that fires
/// more often than it should, with a ring as other threads have it, and DrainAndMakeSteady replaces
/// it. Events that need a counter have no random first period: sixteen times the rate makes the
/// kernel throttle them, and a second event that is opened beside the first may count nothing.
///
/// An event in frequency mode is sampled at no more than half of the kernel's limit. Where the
/// kernel refuses the rate or throttles the event, because the limit has been lowered meanwhile,
/// the rate is lowered for all threads that are armed from then on, and for those that were
/// throttled.
///
/// On a hybrid processor a generic event is opened once for each kind of cores. `event` below is
/// the number of an event in the list of Configure, the column that samples, losses and accounts of
/// all kinds are added up in. A kind of cores that does not have the event is left out.
///
/// With callers a record holds the stack's first words, too, 230 bytes and 8 for each caller: rings
/// are 4 times as large, 16 times with long stacks, and the main thread's is so from the first
/// period on. A thread that gets only a small ring then has short stacks.
///
/// Owns:    nothing of a slot: the rings belong to their slots. `kernel` must outlive it.
/// Threads: Arm and Disarm of one slot one at a time, from any thread. Drain under the collector's
/// lock.
/// Signals: safe (ring_source_signal.cpp).
class RingSource {
 public:
  explicit RingSource(Kernel& kernel) noexcept : kernel_(kernel) {}

  /// Sets the kinds of cores; without this call the processor is not hybrid. Before Configure.
  void set_core_kinds(const CoreKinds& kinds) noexcept { kinds_ = kinds; }
  const CoreKinds& core_kinds() const noexcept { return kinds_; }
  /// Sets the events to sample, which are copied. Must be called before the first Arm.
  void Configure(const EventList& events) noexcept;
  /// The number of events of the list, which is less than a slot's rings on a hybrid processor.
  std::size_t columns() const noexcept { return opened_.columns; }
  /// False: some event is not sampled on all kinds of cores, because there are too many events.
  bool covers_all_cores() const noexcept { return opened_.complete; }
  /// Random first periods for the events that have a fixed one. Must be called before the first
  /// Arm. The periods of processes with the same `family` are spread evenly; 0: the process has no
  /// family.
  void set_random_first(bool on, std::uint64_t family = 0) noexcept {
    random_first_ = on;
    family_ = family;
  }
  bool random_first() const noexcept { return random_first_; }
  /// Samples come with so much of their stack (SampleSink::OnStackSample; kShortStackBytes or
  /// kLongStackBytes), in larger rings; 0: without. Must be called before the first Arm.
  void set_stack_bytes(std::uint32_t bytes) noexcept { stack_bytes_ = bytes; }
  bool callers() const noexcept { return stack_bytes_ != 0; }
  /// Records hold their times, and the first event of each thread records context switches
  /// (SampleSink::OnTime, OnSwitch). Must be called before the first Arm.
  void set_timed(bool on) noexcept { timed_ = on; }
  /// Opens the events of a live slot anew, with more of the stack and larger rings, and drains the
  /// old ones. For a thread whose callers often lie behind the long copy. Returns false if the copy
  /// cannot grow: it is short, or the longest; there are many threads, or not enough locked memory
  /// for the larger ring. Events that were not opened anew then go on as before.
  bool GrowStack(ThreadSlot& slot, SampleSink& sink) noexcept;
  /// The number of threads: decides the size of the next ring.
  void set_threads(std::size_t threads) noexcept {
    threads_.store(threads, std::memory_order_relaxed);
  }

  /// Starts sampling thread `tid` of this process into `slot`, with all events or none. The slot's
  /// rings are unchanged on failure; failed_event() then names the event.
  /// Errors: those of AttributeLadder::Open and RingBuffer::Map; kLimit with EBADF where the
  /// program closed the new descriptor meanwhile.
  Result<void> Arm(ThreadSlot& slot, pid_t tid) noexcept;
  /// Stops sampling and unmaps the rings. Samples that were not drained are lost.
  void Disarm(ThreadSlot& slot) noexcept;
  /// Passes all records of the slot's rings to `sink`.
  void Drain(ThreadSlot& slot, SampleSink& sink) noexcept;
  /// The same for a slot whose rings are unmapped next (RingBuffer::DrainLast).
  void DrainLast(ThreadSlot& slot, SampleSink& sink) noexcept;

  /// Drains. Then the events of a live slot that have overflowed often enough get their full
  /// period, and those that were throttled in frequency mode get a lower rate where the kernel's
  /// limit asks for it. Where the kernel refuses the new event, the first period stays, but a
  /// lowered event is closed.
  void DrainAndMakeSteady(ThreadSlot& slot, SampleSink& sink) noexcept;
  /// Gives every event of a live slot that still has a first period its full period now, whether it
  /// has overflowed or not, and drains these events. For a moment after which no event may be
  /// opened: a short first period would fill its ring between two drains.
  void MakeSteadyNow(ThreadSlot& slot, SampleSink& sink) noexcept;
  /// Whether the ring of a slot that ends is left alone: by its CPU clock `cpu_ns` the thread has
  /// used less than its first period, so there is no sample. The first look at a ring costs a page
  /// fault, and its unmapping costs more afterwards. Records of mappings are left behind, too.
  /// False for a slot with other events than one clock, and after LookAtAll.
  bool LeavesAlone(ThreadSlot& slot, std::uint64_t cpu_ns) noexcept;
  /// From now on no ring is left alone. Returns true if one was that recorded mappings: these must
  /// be read elsewhere. Under the collector's lock, as LeavesAlone.
  bool LookAtAll() noexcept;
  /// In how much CPU time of the thread DrainAndMakeSteady will have something to do.
  /// FirstPeriod::kNever: nothing will be due. `unknown_ns`: the answer for an event that is no
  /// clock, whose rate is not known.
  std::uint64_t SteadyInNs(const ThreadSlot& slot, std::uint64_t unknown_ns) const noexcept;
  /// Whether the rings of threads that are armed from now on contain mapping records; true at
  /// first. The kernel prepares one record for every mmap and mprotect of the thread, 1 us each.
  void set_record_maps(bool record) noexcept { record_maps_ = record; }
  /// Opens the first event of `slot` anew, without mapping records. The slot must have been
  /// drained: what its ring contains is lost. Returns false if the event could not be opened; the
  /// old ring then stays.
  bool StopRecordingMaps(ThreadSlot& slot, pid_t tid) noexcept;

  /// Whether some event of an armed slot has had its counter since it was opened.
  bool HasCounted(const ThreadSlot& slot) const noexcept;
  /// What the kernel reports of an event that needs a counter, of a slot that is or was armed; on a
  /// hybrid processor the sum of its kinds of cores.
  /// `own`: the calling thread is the slot's; then the count is exact up to now. For other events
  /// only the times are set.
  EventAccount::Totals AccountOf(const ThreadSlot& slot, std::size_t event,
                                 bool own) const noexcept;
  /// Samples a second with which new events are opened; 0: a fixed period.
  std::uint64_t frequency_hz(std::size_t event) const noexcept {
    return rates_hz_[event].load(std::memory_order_relaxed);
  }
  bool counts_hardware() const noexcept { return counts_hardware_; }  ///< Some event does
  /// Whether the event occupies a counter of the processor (NeedsCounter).
  bool needs_counter(std::size_t event) const noexcept {
    return NeedsCounter(opened_.list.events[event]);
  }
  /// The CPU time in ns after which a thread's ring can be half full, by the rates of the events;
  /// at most `most_ns`. Events whose rate is not known are left out.
  std::uint64_t HalfFullNs(bool main_thread, std::uint64_t most_ns) const noexcept;

  /// The precise_ip with which the event was opened.
  unsigned precise_obtained(std::size_t event) const noexcept {
    return ladders_[event].precise_obtained();
  }
  /// How that precision came about.
  const AttributeLadder& ladder(std::size_t event) const noexcept { return ladders_[event]; }
  /// The number of the event that the last failed Arm could not open.
  std::size_t failed_event() const noexcept { return opened_.column[failed_event_]; }

  /// The bytes of ring that a thread should get: a power of two, at least one page.
  static std::size_t RingBytes(bool main_thread, std::size_t threads,
                               std::uint32_t stack_bytes = 0) noexcept;
  std::size_t RingBytes(bool main_thread) const noexcept {
    return RingBytes(main_thread, threads_, stack_bytes_);
  }
  /// Bytes of a usual sample; with callers: of one with a chain of twenty.
  std::size_t record_bytes() const noexcept {
    // With times: also two switches, because a thread may leave its processor for each sample.
    return (stack_bytes_ != 0 ? kStackRecordBytes + stack_bytes_ : 16) + (timed_ ? 40 : 0);
  }

 private:
  struct Opening {
    std::uint64_t first_period;  ///< 0: the event's own
    bool main_thread;
    std::uint32_t stack_bytes = 0;  ///< 0: as set_stack_bytes says
  };
  /// Opens and maps one event. With long stacks: short ones instead where only a small ring fits.
  Result<void> OpenRing(RingBuffer& ring, pid_t tid, std::size_t event,
                        const Opening& how) noexcept;
  /// GrowStack for one event.
  bool GrowEvent(ThreadSlot& slot, std::size_t event, std::uint32_t stack_bytes,
                 SampleSink& sink) noexcept;
  /// Opens and maps one event with so many bytes of the stack; closes the descriptor.
  Result<void> OpenWithStack(RingBuffer& ring, pid_t tid, std::size_t event, const Opening& how,
                             std::uint32_t stack_bytes) noexcept;
  /// Draws the first period of the event, and opens it into the slot's ring.
  Result<void> ArmEvent(ThreadSlot& slot, pid_t tid, std::size_t event) noexcept;
  /// The account of one opened event.
  EventAccount::Totals AccountOfOne(const ThreadSlot& slot, std::size_t event,
                                    bool own) const noexcept;
  /// Whether the event is one that was opened for a further kind of cores.
  bool IsFurtherKind(std::size_t event) const noexcept { return event >= opened_.columns; }
  enum class Taking { kUsual, kForReplacement };
  /// Passes a sample to the sink as often as it must be taken. Returns false if the record cannot
  /// be read.
  bool TakeSample(ThreadSlot& slot, std::size_t event, const RingRecord& record, Taking taking,
                  SampleSink& sink) noexcept;
  /// What a drain does with one record. A sample is passed on; returns true then.
  bool Visit(ThreadSlot& slot, std::size_t event, const RingRecord& record,
             SampleSink& sink) noexcept;
  /// Drains one ring. `then(last)` is called while the last sample is still in the ring; nullptr:
  /// there was none.
  template <class Then>
  void DrainEvent(ThreadSlot& slot, std::size_t event, SampleSink& sink, Then&& then) noexcept;
  enum class Replacing { kWhenWorthIt, kNow };
  void DrainAndReplace(ThreadSlot& slot, std::size_t event, Replacing when,
                       SampleSink& sink) noexcept;
  /// The shortest time between two samples that is likely, in ns; 0: nothing is known.
  std::uint64_t ShortestSampleNs(std::size_t event) const noexcept;
  /// Adds what the kernel reported of the event to its account, and closes its ring.
  void CloseRing(ThreadSlot& slot, std::size_t event) noexcept;
  /// Lowers the rate of new events to what the kernel's limit allows now. Returns false if the rate
  /// fits already, or the limit is not known.
  bool LowerRate(std::size_t event) noexcept;
  /// Opens a throttled event anew, with a lower rate.
  void LowerThrottledRate(ThreadSlot& slot, std::size_t event) noexcept;

  /// Of a record with callers, without the stack: registers, and a chain of twenty.
  static constexpr std::size_t kStackRecordBytes = 384;
  Kernel& kernel_;
  CoreKinds kinds_;
  /// What is opened. In private functions `event` is a number of opened_.list.
  OpenedEvents opened_;
  /// Events of a further kind of cores that this kind does not have.
  std::atomic<bool> absent_[kMaxEventSpecs] = {};
  AttributeLadder ladders_[kMaxEventSpecs];
  std::atomic<std::uint64_t> rates_hz_[kMaxEventSpecs] = {};
  std::atomic<std::size_t> threads_{1};
  bool counts_hardware_ = false;
  bool record_maps_ = true;
  bool may_leave_ = true;           ///< No LookAtAll so far
  bool has_left_mappings_ = false;  ///< A ring with records of mappings may have been left alone
  std::atomic<std::size_t> failed_event_{0};
  bool random_first_ = false;
  std::uint64_t family_ = 0;
  FirstPeriodNumbers numbers_;
  std::uint32_t stack_bytes_ = 0;
  bool timed_ = false;
  StackSample sample_;  ///< Being handed over; the collector's lock guards it
};

}  // namespace csink

#include <errno.h>

#include "core/machine/clocks.h"
#include "core/sampling/rate_limit.h"
#include "core/sampling/ring_source.h"

// Each event of each thread has a ring of its own and no descriptor. Arm opens and maps them; Drain
// passes their records to the sink, each sample with a weight in events. Three things cause an
// event to be opened anew: a first period that is worth replacing (DrainAndReplace), a rate that
// the kernel throttles (LowerThrottledRate), and rings that must stop recording mappings
// (StopRecordingMaps). An open event cannot be changed, because its descriptor is closed.

namespace csink {
namespace {

// Bytes of ring; the class says why.
constexpr std::size_t kMainBytes = 64 * 1024;
constexpr std::size_t kThreadBytes = 16 * 1024;
constexpr std::size_t kManyThreadBytes = 8 * 1024;
constexpr std::size_t kManyThreads = 64;
constexpr std::size_t kCrowd = 256;  // one page each
constexpr std::size_t kShortStackFactor = 4;
constexpr std::size_t kLongStackFactor = 16;
constexpr std::size_t kLongerStackFactor = 64;
constexpr std::size_t kLongestStackFactor = 128;
// With more threads than that, the copies do not grow: their rings take 1 to 8 MiB each.
constexpr std::size_t kMostGrown = 16;
// Fewer long records than that, and most would be lost.
constexpr std::size_t kLeastLongRecords = 8;

// Throttles between two drains that are worth a new look at the kernel's limit. A single one may be
// the beginning of frequency mode, whose first periods are short.
constexpr std::uint32_t kThrottlesToLower = 2;
// The most events of a kind in a nanosecond: 6 GHz, eight instructions a cycle.
constexpr std::uint64_t kMostCyclesANs = 6;
constexpr std::uint64_t kMostEventsANs = 48;

// Errors that say that a PMU does not have the event; others are refusals of rights or limits.
bool MeansAbsent(const Error& error) noexcept {
  return error.sys_errno == ENOENT || error.sys_errno == ENODEV || error.sys_errno == EINVAL ||
         error.sys_errno == EOPNOTSUPP;
}

Switch HowOf(std::uint16_t misc) noexcept {
  constexpr std::uint16_t kPreempted = 1 << 14;  // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, Linux 4.17
  if ((misc & PERF_RECORD_MISC_SWITCH_OUT) == 0) return Switch::kIn;
  return misc & kPreempted ? Switch::kOutPreempted : Switch::kOutBlocked;
}

}  // namespace

void RingSource::Configure(const EventList& events) noexcept {
  opened_ = OpenForEachKind(events, kinds_);
  counts_hardware_ = false;
  for (std::size_t i = 0; i < opened_.list.count; ++i) {
    counts_hardware_ |= needs_counter(i);
    rates_hz_[i].store(opened_.list.events[i].frequency_hz, std::memory_order_relaxed);
    absent_[i].store(false, std::memory_order_relaxed);
  }
}

std::size_t RingSource::RingBytes(bool main_thread, std::size_t threads,
                                  std::uint32_t stack_bytes) noexcept {
  std::size_t wanted = main_thread ? kMainBytes : kThreadBytes;
  if (!main_thread && threads > kManyThreads) wanted = kManyThreadBytes;
  if (!main_thread && threads > kCrowd) wanted = PageBytes();
  if (stack_bytes != 0) {
    // The same number of samples needs more room with stacks: 16 bytes become 640 or 8,576
    // (record_bytes), or four or seven times as much (GrowStack).
    std::size_t factor = kShortStackFactor;
    // A main thread's ring for 2 KiB is not larger than another's: it is within what a user without
    // rights may lock (perf_event_mlock_kb), and drained in time (DrainIntervalNs).
    const bool is_large = !main_thread || stack_bytes > kPythonStackBytes;
    if (stack_bytes > kShortStackBytes && is_large) factor = kLongStackFactor;
    if (stack_bytes > kLongStackBytes) factor = kLongerStackFactor;
    if (stack_bytes > kLongerStackBytes) factor = kLongestStackFactor;
    wanted *= factor;
  }
  return wanted < PageBytes() ? PageBytes() : wanted;
}

Result<void> RingSource::OpenRing(RingBuffer& ring, pid_t tid, std::size_t event,
                                  const Opening& how) noexcept {
  const std::uint32_t bytes = how.stack_bytes != 0 ? how.stack_bytes : stack_bytes_;
  Result<void> opened = OpenWithStack(ring, tid, event, how, bytes);
  if (!opened || bytes <= kShortStackBytes ||
      ring.data_bytes() >= kLeastLongRecords * (kStackRecordBytes + bytes)) {
    return opened;
  }
  ring.Unmap(kernel_);
  return OpenWithStack(ring, tid, event, how, kShortStackBytes);
}

Result<void> RingSource::OpenWithStack(RingBuffer& ring, pid_t tid, std::size_t event,
                                       const Opening& how, std::uint32_t stack_bytes) noexcept {
  SamplingOptions options;
  options.record_mappings = event == 0 && record_maps_;
  options.first_period = how.first_period;
  options.stack_bytes = stack_bytes;
  options.timed = timed_;
  options.record_switches = timed_ && event == 0;
  perf_event_attr attr = MakeSamplingAttr(opened_.list.events[event], options);
  if (attr.freq) attr.sample_freq = frequency_hz(event);
  // The ladder changes `attr`; the second try must begin with the full request.
  const perf_event_attr wanted = attr;
  Result<int> fd = ladders_[event].Open(kernel_, attr, tid);
  // The kernel answers EINVAL to a rate above its limit, which it may have lowered meanwhile.
  if (!fd && wanted.freq && fd.error().sys_errno == EINVAL && LowerRate(event)) {
    attr = wanted;
    attr.sample_freq = frequency_hz(event);
    fd = ladders_[event].Open(kernel_, attr, tid);
  }
  // The ladder has said why in words.
  if (!fd) return fd.error();
  // An event with a first period of its own is soon replaced: pages for its few samples alone. But
  // records with stacks are large: those of one interval between two drains would not fit.
  const bool main_ring = how.main_thread && (how.first_period == 0 || callers());
  const std::uint32_t for_bytes = stack_bytes > stack_bytes_ ? stack_bytes : stack_bytes_;
  Result<void> mapped = ring.MapAtMost(kernel_, *fd, RingBytes(main_ring, threads_, for_bytes));
  // Another thread of the program may have closed everything meanwhile, and opened a
  // file of its own under our number: then neither mapping nor descriptor is ours.
  if (kernel_.CheckEvent(*fd) < 0) {
    ring.Unmap(kernel_);
    return Error{Errc::kLimit, EBADF, "the program closed the event's file descriptor"};
  }
  // On at last: what opening and mapping cost is not the thread's time.
  if (attr.disabled) kernel_.EventControl(*fd, PERF_EVENT_IOC_ENABLE, 0);
  // The mapping keeps the event alive; see RingBuffer.
  kernel_.Close(*fd);
  return mapped;
}

Result<void> RingSource::ArmEvent(ThreadSlot& slot, pid_t tid, std::size_t event) noexcept {
  const EventSpec& spec = opened_.list.events[event];
  FirstPeriod& first = slot.first[event];
  first.SetSteady();
  // A child's ring is drained once, so its first period cannot be replaced.
  if (random_first_ && spec.period != 0 && !needs_counter(event) && !slot.is_child) {
    first.Draw(spec.period, spec.kind == EventClass::kClock, numbers_.Next(), slot.is_main);
  }
  const Result<void> opened =
      OpenRing(slot.rings[event], tid, event,
               {first.period(), slot.is_main || slot.is_child, slot.stack_bytes});
  if (opened && needs_counter(event)) {
    if (slot.account_count <= event) slot.account_count = static_cast<std::uint8_t>(event + 1);
    slot.accounts[event].opened_hz = frequency_hz(event);
  }
  return opened;
}

Result<void> RingSource::Arm(ThreadSlot& slot, pid_t tid) noexcept {
  if (random_first_ && slot.is_main) {
    const auto number = static_cast<std::uint64_t>(tid);
    numbers_.Begin(family_ != 0 ? family_ : MonotonicNs() ^ (number << 40), number);
  }
  slot.stack_bytes = slot.stack_samples = slot.short_stacks = 0;
  slot.stack_is_final = false;
  for (std::size_t event = 0; event < opened_.list.count; ++event) {
    if (absent_[event].load(std::memory_order_relaxed)) {
      slot.first[event].SetSteady();
      continue;
    }
    const Result<void> armed = ArmEvent(slot, tid, event);
    // The event exists, but not on this kind of cores. The account shows the time on these cores as
    // time without a counter.
    if (!armed && IsFurtherKind(event) && MeansAbsent(armed.error())) {
      absent_[event].store(true, std::memory_order_relaxed);
      continue;
    }
    // All events or none: a thread with a part of its events would distort the ratios of the
    // report.
    if (!armed) {
      failed_event_ = event;
      while (event > 0) slot.rings[--event].Unmap(kernel_);
      return armed.error();
    }
  }
  // Last: Drain and Disarm go through this many rings.
  slot.ring_count = static_cast<std::uint8_t>(opened_.list.count);
  slot.records_mappings = record_maps_;
  return {};
}

bool RingSource::StopRecordingMaps(ThreadSlot& slot, pid_t tid) noexcept {
  // A RingBuffer is a pointer and a length; copying it does not map anything.
  RingBuffer before = slot.rings[0];
  const FirstPeriod first = slot.first[0];
  const bool recorded = record_maps_;
  record_maps_ = false;
  const bool opened = ArmEvent(slot, tid, 0).has_value();
  record_maps_ = recorded;
  if (!opened) {
    // The records of the old event are read with the first period that it was opened with.
    slot.rings[0] = before;
    slot.first[0] = first;
    return false;
  }
  // CloseRing works on the slot's ring, which must be the old one at that moment.
  RingBuffer after = slot.rings[0];
  slot.rings[0] = before;
  CloseRing(slot, 0);
  slot.rings[0] = after;
  slot.records_mappings = false;
  return true;
}

void RingSource::CloseRing(ThreadSlot& slot, std::size_t event) noexcept {
  RingBuffer& ring = slot.rings[event];
  if (needs_counter(event) && ring.mapped()) {
    const RingBuffer::Progress last = ring.progress();
    slot.accounts[event].Close(last.enabled_ns, last.running_ns, last.count, last.has_count);
  }
  ring.Unmap(kernel_);
}

bool RingSource::HasCounted(const ThreadSlot& slot) const noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    if (!slot.rings[event].mapped()) continue;
    const RingBuffer::Progress now = slot.rings[event].progress();
    // Both are 0 before the kernel's first update: nothing is known then.
    if (now.running_ns != 0 || now.enabled_ns == 0 || slot.rings[event].pending_bytes() != 0) {
      return true;
    }
  }
  return false;
}

EventAccount::Totals RingSource::AccountOf(const ThreadSlot& slot, std::size_t event,
                                           bool own) const noexcept {
  EventAccount::Totals sum = AccountOfOne(slot, event, own);
  for (std::size_t i = opened_.columns; i < opened_.list.count; ++i) {
    if (opened_.column[i] != event) continue;
    const EventAccount::Totals kind = AccountOfOne(slot, i, own);
    // All kinds are enabled for the same time, of which the kernel updates the page of the event
    // that has a counter alone. The thread is on one kind of cores at a time.
    if (kind.enabled_ns > sum.enabled_ns) sum.enabled_ns = kind.enabled_ns;
    sum.running_ns += kind.running_ns;
    sum.throttled_ns += kind.throttled_ns;
    sum.unsampled += kind.unsampled;
  }
  return sum;
}

EventAccount::Totals RingSource::AccountOfOne(const ThreadSlot& slot, std::size_t event,
                                              bool own) const noexcept {
  if (slot.left_alone) return {};
  const RingBuffer& ring = slot.rings[event];
  RingBuffer::Progress now = ring.progress();
  if (!needs_counter(event)) return {now.enabled_ns, now.running_ns, 0, 0};
  if (own && ring.OwnCount(now.count)) now.has_count = true;
  return slot.accounts[event].With(now.enabled_ns, now.running_ns, now.count, now.has_count);
}

std::uint64_t RingSource::ShortestSampleNs(std::size_t event) const noexcept {
  const EventSpec& spec = opened_.list.events[event];
  if (spec.kind == EventClass::kClock) return spec.period;
  // Faults and the like: no rate is known, and none is high enough to matter here.
  if (!needs_counter(event)) return 0;
  // In frequency mode the kernel aims at this rate.
  if (spec.period == 0) return 1'000'000'000 / frequency_hz(event);
  const std::uint64_t most = spec.kind == EventClass::kCycles ? kMostCyclesANs : kMostEventsANs;
  return spec.period / most;
}

std::uint64_t RingSource::HalfFullNs(bool main_thread, std::uint64_t most_ns) const noexcept {
  std::uint64_t least = most_ns;
  for (std::size_t i = 0; i < opened_.list.count; ++i) {
    // In frequency mode each record holds its period.
    const std::size_t period_bytes = opened_.list.events[i].period == 0 ? 8 : 0;
    const std::size_t records = RingBytes(main_thread) / (record_bytes() + period_bytes);
    // Half: the other half is room for what comes while the drain is on its way.
    const std::uint64_t half_ns = records / 2 * ShortestSampleNs(i);
    if (half_ns != 0 && half_ns < least) least = half_ns;
  }
  return least;
}

bool RingSource::LowerRate(std::size_t event) noexcept {
  const long limit_hz = kernel_.MaxSampleRateHz();
  if (limit_hz <= 0) return false;
  const std::uint64_t fits = FittingHz(static_cast<std::uint64_t>(limit_hz));
  // Rates are only lowered: the kernel does not raise its limit by itself.
  if (fits >= frequency_hz(event)) return false;
  rates_hz_[event].store(fits, std::memory_order_relaxed);
  return true;
}

void RingSource::LowerThrottledRate(ThreadSlot& slot, std::size_t event) noexcept {
  EventAccount& account = slot.accounts[event];
  const bool often = account.TakeThrottles() >= kThrottlesToLower;
  if (!often || account.opened_hz == 0 || !slot.rings[event].mapped()) return;
  LowerRate(event);
  if (frequency_hz(event) >= account.opened_hz) return;
  // The old event goes first: see the class on two events beside each other. Should the new one be
  // refused, the event's running time stands still, which the report tells.
  CloseRing(slot, event);
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  if (OpenRing(slot.rings[event], tid, event, {0, slot.is_main, slot.stack_bytes})) {
    account.opened_hz = frequency_hz(event);
  }
}

void RingSource::Disarm(ThreadSlot& slot) noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) CloseRing(slot, event);
  slot.ring_count = 0;
}

bool RingSource::TakeSample(ThreadSlot& slot, std::size_t event, const RingRecord& record,
                            Taking taking, SampleSink& sink) noexcept {
  const std::uint64_t period = opened_.list.events[event].period;
  FirstPeriod& first = slot.first[event];
  const bool steady = first.steady();
  // The second number: the period in frequency mode, the event's own count before it is steady.
  std::uint64_t second = 0;
  if (callers()) {
    if (!ReadStackSample(record, period == 0 || !steady, sample_, timed_)) return false;
    second = sample_.period;
  } else if (period == 0 || !steady) {
    second = record.U64(kSampleSecond + (timed_ ? kTimeBytes : 0));
  }
  if (timed_) sink.OnTime(record.U64(kSampleTime));
  // A fixed period is the weight also while the first period runs: Take thins out instead.
  const std::uint64_t weight = period != 0 ? period : second;
  if (needs_counter(event)) slot.accounts[event].Sampled(weight);
  unsigned times = 1;
  if (taking == Taking::kForReplacement) {
    times = first.TakeForReplacement();
  } else if (!steady) {
    times = first.Take(period, second);
  }
  for (; times > 0; --times) {
    if (callers()) {
      sink.OnStackSample(slot, opened_.column[event], sample_, weight);
    } else {
      sink.OnSample(slot, opened_.column[event], record.U64(kSamplePc), weight);
    }
  }
  return true;
}

bool RingSource::Visit(ThreadSlot& slot, std::size_t event, const RingRecord& record,
                       SampleSink& sink) noexcept {
  switch (record.type()) {
    case PERF_RECORD_SAMPLE:
      return TakeSample(slot, event, record, Taking::kUsual, sink);
    case PERF_RECORD_MMAP2:
    case PERF_RECORD_MMAP:
      sink.OnMapping(record);
      break;
    case PERF_RECORD_LOST:
      sink.OnLost(slot, opened_.column[event], record.U64(kLostCount));
      if (timed_ && event == 0) sink.OnLostUntil(slot, record.U64(kLostTime));
      break;
    case PERF_RECORD_SWITCH:
      if (timed_) sink.OnSwitch(slot, record.U64(kSwitchTime), HowOf(record.misc()));
      break;
    case PERF_RECORD_THROTTLE:
      if (needs_counter(event)) slot.accounts[event].Throttled(record.U64(kThrottleTime));
      sink.OnThrottled(opened_.column[event]);
      break;
    case PERF_RECORD_UNTHROTTLE:
      if (needs_counter(event)) slot.accounts[event].Unthrottled(record.U64(kThrottleTime));
      break;
    default:
      break;
  }
  return false;
}

template <class Then>
void RingSource::DrainEvent(ThreadSlot& slot, std::size_t event, SampleSink& sink,
                            Then&& then) noexcept {
  RingRecord last;
  bool sampled = false;
  const auto visit = [&](const RingRecord& record) {
    const bool is_sample = record.type() == PERF_RECORD_SAMPLE;
    const bool taken = Visit(slot, event, record, sink);
    if (!is_sample) return;
    sampled = taken;
    // A view into the ring: valid until `then` returns.
    last = record;
  };
  slot.rings[event].Drain(visit, [&] { then(sampled ? &last : nullptr); });
}

void RingSource::Drain(ThreadSlot& slot, SampleSink& sink) noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    if (slot.rings[event].pending_bytes() == 0) continue;
    DrainEvent(slot, event, sink, [](const RingRecord*) {});
  }
}

void RingSource::DrainLast(ThreadSlot& slot, SampleSink& sink) noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    if (slot.rings[event].pending_bytes() == 0) continue;
    slot.rings[event].DrainLast(
        [&](const RingRecord& record) { Visit(slot, event, record, sink); });
  }
}

bool RingSource::LeavesAlone(ThreadSlot& slot, std::uint64_t cpu_ns) noexcept {
  slot.left_alone = false;
  if (!may_leave_ || slot.ring_count != 1 || cpu_ns == 0) return false;
  const FirstPeriod& first = slot.first[0];
  if (opened_.list.events[0].kind != EventClass::kClock || first.steady() || !first.unseen() ||
      cpu_ns - slot.before_cpu_ns >= first.period()) {
    return false;
  }
  has_left_mappings_ |= slot.records_mappings;
  slot.left_alone = true;
  return true;
}

bool RingSource::LookAtAll() noexcept {
  may_leave_ = false;
  const bool left = has_left_mappings_;
  has_left_mappings_ = false;
  return left;
}

void RingSource::DrainAndMakeSteady(ThreadSlot& slot, SampleSink& sink) noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    if (slot.rings[event].pending_bytes() == 0) continue;
    DrainAndReplace(slot, event, Replacing::kWhenWorthIt, sink);
    if (needs_counter(event)) LowerThrottledRate(slot, event);
  }
}

void RingSource::MakeSteadyNow(ThreadSlot& slot, SampleSink& sink) noexcept {
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    if (slot.first[event].steady()) continue;
    DrainAndReplace(slot, event, Replacing::kNow, sink);
  }
}

// The new event is opened inside the drain, before the old ring's space is given back: the last
// sample is needed once more (TakeForReplacement), and only where the new event has been opened.
void RingSource::DrainAndReplace(ThreadSlot& slot, std::size_t event, Replacing when,
                                 SampleSink& sink) noexcept {
  FirstPeriod& first = slot.first[event];
  RingBuffer steady;
  DrainEvent(slot, event, sink, [&](const RingRecord* last) {
    const bool due = first.WorthReplacing(opened_.list.events[event].period);
    if (!due && when == Replacing::kWhenWorthIt) return;
    const pid_t tid = slot.tid.load(std::memory_order_relaxed);
    if (!OpenRing(steady, tid, event, {0, slot.is_main, slot.stack_bytes})) {
      first.Refused();
    } else if (last) {
      TakeSample(slot, event, *last, Taking::kForReplacement, sink);
    }
  });
  if (!steady.mapped()) return;
  // What another thread has recorded while the new event was opened.
  DrainEvent(slot, event, sink, [](const RingRecord*) {});
  slot.rings[event].Unmap(kernel_);
  slot.rings[event] = steady;
  if (event == 0) slot.records_mappings = record_maps_;
  first.SetSteady();
}

bool RingSource::GrowEvent(ThreadSlot& slot, std::size_t event, std::uint32_t stack_bytes,
                           SampleSink& sink) noexcept {
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  // Of two events that need a counter, the second may count nothing: see the class.
  const bool alone = needs_counter(event);
  if (alone) {
    DrainEvent(slot, event, sink, [](const RingRecord*) {});
    CloseRing(slot, event);
  }
  RingBuffer larger;
  bool grown = OpenWithStack(larger, tid, event, {0, slot.is_main}, stack_bytes).has_value();
  // A smaller ring would be full between two drains, and could leave no memory for other threads.
  if (grown && larger.data_bytes() < RingBytes(slot.is_main, threads_, stack_bytes)) {
    larger.Unmap(kernel_);
    grown = false;
  }
  if (!grown && alone) {
    grown = OpenRing(larger, tid, event, {0, slot.is_main, slot.stack_bytes}).has_value();
    if (!grown) return false;
    slot.rings[event] = larger;
    slot.accounts[event].opened_hz = frequency_hz(event);
    return false;
  }
  if (!grown) return false;
  if (alone) {
    slot.accounts[event].opened_hz = frequency_hz(event);
  } else {
    DrainEvent(slot, event, sink, [](const RingRecord*) {});
    slot.rings[event].Unmap(kernel_);
  }
  slot.rings[event] = larger;
  if (event == 0) slot.records_mappings = record_maps_;
  return true;
}

bool RingSource::GrowStack(ThreadSlot& slot, SampleSink& sink) noexcept {
  const std::uint32_t now = slot.stack_bytes != 0 ? slot.stack_bytes : stack_bytes_;
  if (now <= kShortStackBytes || now >= kLongestStackBytes || threads_ > kMostGrown) return false;
  std::uint32_t next = now < kLongerStackBytes ? kLongerStackBytes : kLongestStackBytes;
  if (now < kLongStackBytes) next = kPythonLongStackBytes;
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    if (slot.rings[event].mapped() && !GrowEvent(slot, event, next, sink)) return false;
  }
  slot.stack_bytes = next;
  return true;
}

std::uint64_t RingSource::SteadyInNs(const ThreadSlot& slot,
                                     std::uint64_t unknown_ns) const noexcept {
  std::uint64_t soonest = FirstPeriod::kNever;
  for (std::size_t event = 0; event < slot.ring_count; ++event) {
    const EventSpec& spec = opened_.list.events[event];
    std::uint64_t due = slot.first[event].DueIn(spec.period);
    if (due != FirstPeriod::kNever && spec.kind != EventClass::kClock) due = unknown_ns;
    if (due < soonest) soonest = due;
  }
  return soonest;
}

}  // namespace csink

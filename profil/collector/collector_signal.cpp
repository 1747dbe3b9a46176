#include <cstring>

#include "core/machine/clocks.h"
#include "core/machine/thread_name.h"
#include "profil/collector/collector.h"
#include "profil/collector/live_store.h"
#include "profil/regions/mapping_record.h"

namespace csink {

// Samples that may wait for a spool; with chains each has its stack with it.
std::size_t Collector::WaitingLimit() const noexcept {
  const std::size_t wanted = ending_ ? PendingSamples::kMax : PendingSamples::kThreshold;
  return chains_ && wanted > CallerChains::kMaxKept ? CallerChains::kMaxKept : wanted;
}

void Collector::BeginThread(ThreadSlot& slot, pid_t tid, bool armed) noexcept {
  // Seen and sampled are counted by adds: threads begin without the lock.
  __atomic_fetch_add(&threads_seen_, 1, __ATOMIC_RELAXED);
  if (armed) __atomic_fetch_add(&threads_sampled_, 1, __ATOMIC_RELAXED);
  const long now = kernel_.ThreadCpuNs(tid);
  slot.armed_cpu_ns = slot.drained_cpu_ns = now > 0 ? static_cast<std::uint64_t>(now) : 0;
  slot.in_pause = pauses_.pausing();
  slot.pause_from_ns = slot.armed_cpu_ns;
  if (slot.is_main) BeginProcessClock(slot.armed_cpu_ns);
}

bool Collector::EnsureSpool() noexcept {
  if (spool_.open()) return true;
  if (spool_failed_ || frozen_) return false;
  if (!factory_.MakeSpool(spool_)) {
    spool_failed_ = true;
    return false;
  }
  spool::ThreadRecord merged = {};
  std::memcpy(merged.name, "(merged)", 9);
  merged.start_region = spool::kNone;
  spool_.AddThread(merged);
  for (std::size_t i = 0; i < spool_.header().event_count; ++i) {
    spool_.header().events[i].lost_records = lost_records_[i];
    spool_.header().events[i].throttled = throttled_[i];
  }
  std::uint64_t wanted[PendingSamples::kMax];
  for (std::size_t i = 0; i < pending_.size(); ++i) wanted[i] = pending_[i].pc;
  if (!phase_.name().empty()) phase_.EnterAgain(spool_, PhaseTimes());
  const bool few = !pending_.reached_threshold() && !frozen_soon_ && !chains_;
  regions_.ReadMaps(spool_, wanted, few ? pending_.size() : 0);
  FlushPending();
  return true;
}

void Collector::FlushPending() noexcept {
  pid_t tid = -1;
  std::uint32_t thread = spool::kMergedThread;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const PendingSample& p = pending_[i];
    if (p.tid != tid) {
      ThreadSlot* slot = registry_.Find(p.tid);
      thread = slot ? ThreadOf(*slot) : NewThreadRecord(p.tid, p.start_routine, p.name);
      tid = p.tid;
    }
    Place(thread, p.event, p.pc, p.weight, p.has_stack ? &chains_->kept(i) : nullptr);
  }
  pending_.Clear();
}

std::uint32_t Collector::NewThreadRecord(pid_t tid, std::uint64_t start_routine,
                                         const char* name) noexcept {
  if (thread_records_ >= kMaxThreadRecords || spool_.bucket_bytes() > kPerThreadBucketBytes) {
    return spool::kMergedThread;
  }
  spool::ThreadRecord record = {};
  record.tid = static_cast<std::uint32_t>(tid);
  record.start_routine = start_routine;
  record.start_region = start_routine ? RegionOf(start_routine) : spool::kNone;
  std::memcpy(record.name, name, sizeof record.name);
  const std::uint32_t id = spool_.AddThread(record);
  if (id == spool::kNone) return spool::kMergedThread;
  ++thread_records_;
  return id;
}

std::uint32_t Collector::ThreadOf(ThreadSlot& slot) noexcept {
  if (slot.spool_thread == spool::kNone) {
    const pid_t tid = slot.tid.load(std::memory_order_relaxed);
    if (slot.name[0] == 0 && !frozen_) ReadThreadName(tid, slot.name);
    slot.spool_thread =
        NewThreadRecord(tid, reinterpret_cast<std::uint64_t>(slot.start_routine), slot.name);
  }
  return slot.spool_thread;
}

bool Collector::StaysForEver(std::uint32_t region) noexcept {
  for (const std::uint64_t pc : for_ever_) {
    if (pc != 0 && region != spool::kNone && regions_.Find(pc) == region) return true;
  }
  return false;
}

std::uint32_t Collector::RegionOf(std::uint64_t pc) noexcept {
  std::uint32_t region = regions_.Find(pc);
  if (maps_untold_ && !frozen_ && !StaysForEver(region) &&
      maps_changed_.exchange(false, std::memory_order_acquire)) {
    maps_read_this_drain_ = true;
    regions_.ReadMaps(spool_);
    region = regions_.Find(pc);
  }
  if (region != spool::kNone) return region;
  if (RegionIndex::IsKernel(pc)) return regions_.Kernel(spool_);
  // Another thread's dlopen is in that thread's ring: ask the kernel, once a drain.
  if (!maps_read_this_drain_ && !frozen_) {
    maps_read_this_drain_ = true;
    regions_.ReadMaps(spool_);
    region = regions_.Find(pc);
  }
  return region != spool::kNone ? region : regions_.Unknown(spool_);
}

void Collector::Place(std::uint32_t thread, std::size_t event, std::uint64_t pc,
                      std::uint64_t weight, const StackSample* stack) noexcept {
  const std::uint32_t region = RegionOf(pc);
  if (region == spool::kNone) {  // no room in the table of regions
    ++spool_.header().events[event].unplaced;
    return;
  }
  BucketSegment::Key key = {region, thread, pc, phase_.id()};
  bool bad = false;
  if (stack) key.chain = chains_->ChainOf(*stack, regions_, spool_, !frozen_, bad);
  if (!spool_.AddHit(key, event, weight)) return;
  if (bad) StoreLive(spool_.header().bad_stacks, ++bad_stacks_);
  spool::EventColumn& column = spool_.header().events[event];
  StoreLive(column.samples, column.samples + 1);
  StoreLive(column.weight, column.weight + weight);
  column.weight_squared += static_cast<double>(weight) * static_cast<double>(weight);
}

void Collector::OnSample(ThreadSlot& slot, std::size_t event, std::uint64_t pc,
                         std::uint64_t weight) noexcept {
  Take(slot, event, pc, weight, nullptr);
}

void Collector::OnStackSample(ThreadSlot& slot, std::size_t event, const StackSample& sample,
                              std::uint64_t weight) noexcept {
  Take(slot, event, sample.pc, weight, chains_ ? &sample : nullptr);
}

void Collector::Take(ThreadSlot& slot, std::size_t event, std::uint64_t pc, std::uint64_t weight,
                     const StackSample* stack) noexcept {
  if (pauses_.pausing()) return;
  ++samples_;
  ++slot.samples;
  if (static_cast<int>(event) == clock_event_) slot.clock_weight += weight;
  if (spool_.open()) {
    Place(ThreadOf(slot), event, pc, weight, stack);
    return;
  }
  if (pending_.full()) return;  // no spool could be made
  if (frozen_) return;
  if (slot.name[0] == 0) ReadThreadName(slot.tid.load(std::memory_order_relaxed), slot.name);
  // Where no spool can be made nobody will ask for the stacks that have no place.
  const bool kept = stack && pending_.size() < CallerChains::kMaxKept;
  if (kept) chains_->Keep(pending_.size(), *stack);
  pending_.Add(slot, event, pc, weight, kept);
  if (pending_.size() >= WaitingLimit()) EnsureSpool();
}

void Collector::OnMapping(const RingRecord& record) noexcept {
  if (!spool_.open()) return;  // maps are read when it is made
  // Under the lock: one buffer for everybody, off the handler's stack.
  static char path[4096];
  RegionIndex::Mapping mapping;
  if (ReadMappingRecord(record, mapping, path, sizeof path)) regions_.Add(spool_, mapping);
}

void Collector::OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept {
  if (pauses_.pausing()) return;
  slot.lost_records += count;
  lost_records_[event] += count;
  if (spool_.open()) StoreLive(spool_.header().events[event].lost_records, lost_records_[event]);
}

void Collector::OnThrottled(std::size_t event) noexcept {
  ++throttled_[event];
  if (spool_.open()) StoreLive(spool_.header().events[event].throttled, throttled_[event]);
}

void Collector::DrainSlot(ThreadSlot& slot, FirstPeriods first) noexcept {
  if (!slot.armed()) return;
  const std::uint64_t clock_before = slot.clock_weight;
  bool full = false;
  bool any = false;
  unsigned eighths = 0;
  for (std::size_t i = 0; i < slot.ring_count; ++i) {
    const RingBuffer& ring = slot.rings[i];
    const std::uint64_t pending = ring.pending_bytes();
    any |= pending != 0;
    full |= pending + 64 > ring.data_bytes();
    const unsigned e = static_cast<unsigned>(pending * 8 / ring.data_bytes());
    if (e > eighths) eighths = e;
  }
  const SoftRing* const soft = slot.timer >= 0 ? slot.soft.load() : nullptr;
  if (soft) {
    any |= soft->pending() != 0;
    full |= soft->pending() == SoftRing::kSamples;
  }
  if (eighths > fullest_eighths_) fullest_eighths_ = eighths;
  if (!any) return;
  if (first == FirstPeriods::kReplace && !frozen_ &&
      slot.state.load(std::memory_order_acquire) == SlotState::kLive) {
    rings_.DrainAndMakeSteady(slot, *this);
  } else {
    rings_.Drain(slot, *this);
  }
  for (std::size_t i = 0; i < slot.ring_count; ++i) young_ |= !slot.first[i].steady();
  timers_.Drain(slot, *this);
  if (frozen_) return;
  const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  if (now <= 0) return;
  const auto cpu = static_cast<std::uint64_t>(now);
  if (full && clock_event_ >= 0 && !pauses_.pausing()) {
    // The kernel tells of lost records only with the next that fits: ask the clock instead.
    const std::uint64_t spent = cpu - slot.drained_cpu_ns;
    const std::uint64_t sampled = slot.clock_weight - clock_before;
    if (spent > sampled) slot.blocked_lost_ns += spent - sampled;
  }
  slot.drained_cpu_ns = cpu;
  if (spool_.open() && slot.spool_thread != spool::kNone &&
      slot.spool_thread != spool::kMergedThread) {
    if (spool::ThreadRecord* record = spool_.Thread(slot.spool_thread)) {
      StoreLive(record->cpu_ns, cpu);
      StoreLive(record->sampled_ns, slot.clock_weight);
    }
  }
}

bool Collector::AnythingPending() noexcept {
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    const ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    for (std::size_t ring = 0; ring < slot.ring_count; ++ring) {
      if (slot.rings[ring].pending_bytes() != 0) return true;
    }
  }
  return false;
}

void Collector::DrainAll(FirstPeriods first) noexcept {
  maps_read_this_drain_ = false;
  fullest_eighths_ = 0;
  young_ = false;
  ++drains_;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    if (state == SlotState::kLive || state == SlotState::kEnded) DrainSlot(slot, first);
  }
  // An exec that failed has drained more than a living process keeps to itself.
  if (!ending_ && pending_.reached_threshold()) EnsureSpool();
  UpdateHeader();
  StoreLiveColumns();
  if (pauses_.CanRest() && !frozen_ && pauses_.RestIsDue(MonotonicNs())) Rest();
}

void Collector::DrainBeforeUnload(bool (*may_go)(std::uint64_t pc)) noexcept {
  if (AnythingPending()) {
    const bool ending = ending_;
    ending_ =
        true;  // a spool for their number alone would cost each program with one plugin 500 us
    DrainAll();
    ending_ = ending;
  }
  for (const PendingSample& sample : pending_) {
    if (sample.has_stack || may_go(sample.pc)) {
      EnsureSpool();
      return;
    }
  }
}

void Collector::Freeze() noexcept {
  // Without a spool, too: what is sampled from then on is counted, not kept.
  frozen_soon_ = true;  // the table of libraries must be whole now
  if (EnsureSpool()) {
    DrainAll();
    spool_.Freeze();
  }
  frozen_ = true;
}

void Collector::ResetAfterFork() noexcept {
  lock_.ResetAfterFork();
  end_is_told_ = false;
  spool_.ForgetAfterFork();
  own_thread_ = 0;
  ClearAccounts();
  threads_seen_ = threads_sampled_ = 0;
  pauses_.ResetAfterFork();
}

void Collector::ClearAccounts() noexcept {
  regions_.Clear();
  if (chains_) chains_->Clear();
  bad_stacks_ = 0;
  spool_failed_ = ending_ = false;
  maps_read_this_drain_ = false;
  ended_ = settled_ = Accounts();
  pending_.Clear();
  routine_count_ = 0;
  thread_records_ = 0;
  samples_ = own_cost_ns_ = drains_ = 0;
  own_threads_ns_ = unseen_ns_ = switched_off_ns_ = 0;
  process_clock_known_ = false;
  for (std::uint64_t& ns : lost_ns_) ns = 0;
  for (std::uint64_t& records : lost_records_) records = 0;
  for (std::uint64_t& times : throttled_) times = 0;
  fullest_eighths_ = 0;
  const CpuNs now = ProcessCpu();
  pauses_.Clear(now);
  phase_.Leave(now.total());
}

}  // namespace csink

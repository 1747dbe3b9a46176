#include <cstring>

#include "core/machine/clocks.h"
#include "core/machine/thread_name.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/regions/mapping_record.h"
#include "profil/inside/spool/writer.h"

/// File: draining, and the way of a sample. A sample goes from OnSample to Take; there it waits in
/// pending_ until a spool exists, or Place adds it to the bucket of its region, thread, PC, phase
/// and chain. Mapping records come through the same ring in order, so that regions_ is up to date
/// for the samples behind them.

namespace csink {

// Number of samples that may wait for a spool. With chains there are fewer, because each waits with
// its stack.
std::size_t Collector::WaitingLimit() const noexcept {
  const std::size_t wanted = ending_ ? PendingSamples::kMax : PendingSamples::kThreshold;
  return chains_ && wanted > CallerChains::kMaxKept ? CallerChains::kMaxKept : wanted;
}

bool Collector::EnsureSpool() noexcept {
  if (spool_.open()) return true;
  if (spool_failed_ || frozen_) return false;
  if (!factory_.MakeSpool(spool_)) {
    spool_failed_ = true;
    return false;
  }
  // Thread 0 (spool::kMergedThread) must exist before any other.
  spool::ThreadRecord merged = {};
  std::memcpy(merged.name, "(merged)", 9);
  merged.start_region = spool::kNone;
  spool_.Add(merged);
  accounts_.losses().StoreRecords(spool_.header());
  std::uint64_t wanted[PendingSamples::kMax];
  for (std::size_t i = 0; i < pending_.size(); ++i) wanted[i] = pending_[i].pc;
  // Before the samples are placed: they belong to the phase in which the program is.
  if (!phase_.name().empty()) phase_.EnterAgain(spool_, PhaseTimes());
  // For a few samples without callers only their own mappings are read. A sandbox and callers may
  // need any mapping later.
  const bool few = !pending_.reached_threshold() && !frozen_soon_ && !chains_;
  regions_.ReadMaps(spool_, wanted, few ? pending_.size() : 0);
  FlushPending();
  return true;
}

void Collector::FlushPending() noexcept {
  pid_t tid = -1;
  std::uint32_t thread = spool::kMergedThread;
  if (python_) LearnPython();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const PendingSample& p = pending_[i];
    // Neighbours are mostly of one thread, so the record is looked up when the thread changes.
    if (p.tid != tid) {
      ThreadSlot* slot = registry_.FindWithEnded(p.tid);
      thread = slot ? ThreadOf(*slot) : NewThreadRecord(p.tid, p.start_routine, p.name);
      tid = p.tid;
    }
    Place(thread, p.event, p.pc, p.weight, p.has_stack ? &chains_->kept(i) : nullptr);
  }
  pending_.Clear();
}

void Collector::LearnPython() noexcept {
  chains_->facts().Begin(regions_, true);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].has_stack) {
      python_->Learn(chains_->kept(i), chains_->facts(), regions_, spool_);
    }
  }
  chains_->facts().End();
}

std::uint32_t Collector::NewThreadRecord(pid_t tid, std::uint64_t start_routine, const char* name,
                                         std::uint32_t flags) noexcept {
  if (thread_records_ >= kMaxThreadRecords || spool_.bucket_bytes() > kPerThreadBucketBytes) {
    return spool::kMergedThread;
  }
  spool::ThreadRecord record = {};
  record.tid = static_cast<std::uint32_t>(tid);
  record.start_routine = start_routine;
  record.start_region = start_routine ? RegionOf(start_routine) : spool::kNone;
  record.flags = flags;
  std::memcpy(record.name, name, sizeof record.name);
  const std::uint32_t id = spool_.Add(record);
  if (id == spool::kNone) return spool::kMergedThread;
  ++thread_records_;
  return id;
}

std::uint32_t Collector::ThreadOf(ThreadSlot& slot) noexcept {
  if (slot.spool_thread == spool::kNone) slot.spool_thread = AddThreadOf(slot);
  return slot.spool_thread;
}

std::uint32_t Collector::AddThreadOf(ThreadSlot& slot) noexcept {
  const auto start_routine = reinterpret_cast<std::uint64_t>(slot.start_routine);
  // No clock is asked in a sandbox, where the spool cannot grow either.
  const bool left = slot.has_ended();
  const std::uint64_t ended_ns = left ? slot.end.monotonic_ns : frozen_ ? 0 : MonotonicNs();
  // The time that it waited for a processor says how busy the machine was.
  const std::uint64_t waited_ns =
      left && slot.end.schedule_error == 0 ? slot.end.schedule.wait_ns : 0;
  const bool is_short = (left || &slot == ending_slot_) &&
                        ended_ns < slot.times.begin_ns + waited_ns + TimeLine::kLeastThreadLifeNs;
  std::uint32_t* const shared = is_short ? shared_records_.CountEnded(start_routine) : nullptr;
  if (shared && *shared != spool::kNone) {
    // After a dlclose another library's function may have the same address.
    const auto* record = spool_.At<spool::ThreadRecord>(*shared);
    if (record && record->start_region == RegionOf(start_routine)) return *shared;
  }
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  NameSlot(slot);
  const std::uint32_t id =
      NewThreadRecord(tid, start_routine, slot.name, shared ? spool::kThreadShared : 0);
  if (shared && id != spool::kMergedThread) *shared = id;
  return id;
}

void Collector::NameSlot(ThreadSlot& slot) noexcept {
  if (slot.name[0] != 0) return;
  if (slot.has_ended()) {
    std::memcpy(slot.name, slot.end.name, sizeof slot.name);
  } else if (!frozen_) {
    ReadThreadName(slot.tid.load(std::memory_order_relaxed), slot.name);
  }
}

bool Collector::CannotBeUnloaded(std::uint32_t region) noexcept {
  for (const std::uint64_t pc : lasting_pcs_) {
    if (pc != 0 && region != spool::kNone && regions_.Find(pc) == region) return true;
  }
  return false;
}

std::uint32_t Collector::RegionOf(std::uint64_t pc) noexcept {
  std::uint32_t region = regions_.Find(pc);
  if (mapping_records_off_ && !frozen_ && !CannotBeUnloaded(region) &&
      maps_changed_.exchange(false, std::memory_order_acquire)) {
    maps_read_this_drain_ = true;
    regions_.ReadMaps(spool_);
    region = regions_.Find(pc);
  }
  if (region != spool::kNone) return region;
  if (RegionIndex::IsKernel(pc)) return regions_.Kernel(spool_);
  // The mapping may be recorded in the ring of the thread that made it, which is not drained yet.
  // So the kernel is asked, once a drain at most.
  if (!maps_read_this_drain_ && !frozen_) {
    maps_read_this_drain_ = true;
    regions_.ReadMaps(spool_);
    region = regions_.Find(pc);
  }
  return region != spool::kNone ? region : regions_.Unknown(spool_);
}

bool Collector::Place(std::uint32_t thread, std::size_t event, std::uint64_t pc,
                      std::uint64_t weight, const StackSample* stack) noexcept {
  const std::uint32_t region = RegionOf(pc);
  if (region == spool::kNone) {  // no room in the table of regions
    ++spool_.header().events[event].unplaced;
    return false;
  }
  BucketSegment::Key key = {region, thread, pc, phase_.id()};
  ChainStop stop = {};
  bool short_copy = false;
  if (stack) key.chain = ChainOf(*stack, stop, short_copy);
  // No room: AddHit has counted the sample as unplaced.
  if (!spool_.AddHit(key, event, weight)) return false;
  placed_ = {pc, region, key.chain, epoch_};
  ++placed_samples_;
  if (stack && RecordsCallers()) {
    chains_->ends().Count(spool_, chains_->way(), stop, stack->stack_bytes);
    // StoreLive: a reader may look at the running file.
    if (stop.cut()) StoreLive(spool_.header().bad_stacks, ++bad_stacks_);
  }
  spool::EventColumn& column = spool_.header().events[event];
  StoreLive(column.samples, column.samples + 1);
  StoreLive(column.weight, column.weight + weight);
  column.weight_squared += static_cast<double>(weight) * static_cast<double>(weight);
  // The time line has the samples of the first event alone.
  if (event == 0) time_line_.CountPlace(region, pc);
  return short_copy;
}

std::uint32_t Collector::ChainOf(const StackSample& stack, ChainStop& stop,
                                 bool& short_copy) noexcept {
  std::uint32_t chain = 0;
  if (RecordsCallers()) {
    chain = chains_->ChainOf(stack, regions_, spool_, !frozen_, stop);
    short_copy = stop.end == spool::ChainEnd::kCopyEnded;
  }
  if (!python_ || frozen_) return chain;
  bool python_short = false;
  chain = python_->ChainOf(stack, *chains_, chain, regions_, spool_, python_short);
  short_copy |= python_short;
  return chain;
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
  accounts_.CountSample(slot, event, weight);
  // A sample that waits for a spool would lose its time.
  const bool timed = timed_.on() && CanAddTimed();
  if (spool_.open()) {
    const std::uint64_t placed_before = placed_samples_;
    if (Place(ThreadOf(slot), event, pc, weight, stack)) ++slot.short_stacks;
    if (stack) ++slot.stack_samples;
    // placed_ is of an earlier sample if this one has found no place.
    if (placed_.pc == pc) slot.last_place = placed_;
    if (timed && placed_samples_ != placed_before && sample_ns_ != 0) {
      timed_.AddSample({sample_ns_, pc, placed_.region, placed_.chain,
                        static_cast<std::uint32_t>(slot.tid.load(std::memory_order_relaxed)),
                        static_cast<std::uint32_t>(event)});
      slot.timed.last_record_ns = sample_ns_;
    }
    return;
  }
  // Full means that no spool could be made. The sample is counted, but has no place.
  if (pending_.full()) return;
  // In a sandbox no spool can be made any more, so a waiting sample would never be placed.
  if (frozen_) return;
  NameSlot(slot);
  // Only the first samples have room for a stack; WaitingLimit makes a spool before that matters.
  const bool kept = stack && pending_.size() < CallerChains::kMaxKept;
  if (kept) chains_->Keep(pending_.size(), *stack);
  pending_.Add(slot, event, pc, weight, kept);
  if (pending_.size() >= WaitingLimit()) EnsureSpool();
}

void Collector::OnMapping(const RingRecord& record) noexcept {
  if (!spool_.open()) return;  // maps are read when it is made
  // One buffer for all threads, under the lock, because a handler's stack may be small.
  static char path[4096];
  RegionIndex::Mapping mapping;
  if (ReadMappingRecord(record, mapping, path, sizeof path)) regions_.Add(spool_, mapping);
}

void Collector::OnLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept {
  if (pauses_.pausing()) return;
  accounts_.CountLost(slot, event, count);
}

bool Collector::CanAddTimed() noexcept { return spool_.open() || (!frozen_ && EnsureSpool()); }

void Collector::OnSwitch(ThreadSlot& slot, std::uint64_t time_ns, Switch how) noexcept {
  if (timed_.on() && CanAddTimed()) timed_.AddSwitch(slot, time_ns, how);
}

void Collector::OnLostUntil(ThreadSlot& slot, std::uint64_t time_ns) noexcept {
  if (timed_.on() && CanAddTimed()) timed_.LostUntil(slot, time_ns);
}

void Collector::TakeMoments(bool last) noexcept {
  if (!timed_.on() || !CanAddTimed()) return;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) == SlotState::kLive) timed_.AddBegin(slot);
  }
  if (moments_) moments_->TakeMoments(timed_, last);
}

void Collector::EndTimes() noexcept {
  if (!timed_.on() || frozen_ || !CanAddTimed()) return;
  const auto pid = static_cast<pid_t>(spool_.header().pid);
  timed_.AddPoint(spool::MomentKind::kProcessEnd, MonotonicNs(), static_cast<std::uint64_t>(pid), 0,
                  pid);
  timed_.Store(spool_.header());
}

void Collector::OnThrottled(std::size_t event) noexcept { accounts_.CountThrottled(event); }

bool Collector::LeavesAlone(ThreadSlot& slot) noexcept {
  slot.left_alone = false;
  if (slot.has_ended()) return rings_.LeavesAlone(slot, slot.end.cpu_ns);
  if (!last_ || !slot.is_main || frozen_) return false;
  const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  return now > 0 && rings_.LeavesAlone(slot, static_cast<std::uint64_t>(now));
}

void Collector::DrainSlot(ThreadSlot& slot, FirstPeriods first) noexcept {
  if (!slot.armed() || LeavesAlone(slot)) return;
  const std::uint64_t clock_before = slot.clock_weight;
  const std::uint64_t samples_before = slot.samples;
  bool full = false;
  bool any = false;
  unsigned eighths = 0;
  for (std::size_t i = 0; i < slot.ring_count; ++i) {
    const RingBuffer& ring = slot.rings[i];
    // The event could not be opened anew, or does not exist on this kind of cores.
    if (!ring.mapped()) continue;
    const std::uint64_t pending = ring.pending_bytes();
    any |= pending != 0;
    // A ring without room for one more sample record may have lost samples.
    full |= pending + 64 > ring.data_bytes();
    const unsigned e = static_cast<unsigned>(pending * 8 / ring.data_bytes());
    if (e > eighths) eighths = e;
  }
  // A thread whose source is a CPU timer has a ring in plain memory instead of the kernel's.
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
    GrowStack(slot);
  } else if (&slot == ending_slot_) {
    rings_.DrainLast(slot, *this);
  } else {
    rings_.Drain(slot, *this);
  }
  for (std::size_t i = 0; i < slot.ring_count; ++i) needs_early_sweep_ |= !slot.first[i].steady();
  timers_.Drain(slot, *this);
  if (frozen_) return;
  const long now = slot.has_ended() ? static_cast<long>(slot.end.cpu_ns)
                                    : kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  // The thread has ended unseen, and its clock with it.
  if (now <= 0) return;
  const auto cpu = static_cast<std::uint64_t>(now);
  if (full && accounts_.clock().event >= 0 && !pauses_.pausing()) {
    // The kernel reports lost records only together with the next record that fits. So the loss is
    // computed from the thread's clock: CPU time since the last drain that is in no sample.
    const std::uint64_t spent = cpu - slot.drained_cpu_ns;
    const std::uint64_t sampled = slot.clock_weight - clock_before;
    if (spent > sampled) slot.blocked_lost_ns += spent - sampled;
  }
  if (spool_.open()) {
    time_line_.Drained(slot, cpu, slot.samples - samples_before, &slot == ending_slot_);
  }
  // For the next drain, and for a process that cannot ask its clocks later (sandbox).
  slot.drained_cpu_ns = cpu;
  if (spool_.open() && slot.spool_thread != spool::kNone &&
      slot.spool_thread != spool::kMergedThread) {
    auto* record = spool_.At<spool::ThreadRecord>(slot.spool_thread);
    // The thread is added to a shared record once, when its accounts are settled.
    if (record && (record->flags & spool::kThreadShared) == 0) {
      StoreLive(record->cpu_ns, cpu);
      StoreLive(record->sampled_ns, slot.clock_weight);
    }
  }
}

bool Collector::AnythingPending() noexcept {
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    const ThreadSlot& slot = registry_.at(i);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    if (state != SlotState::kLive && state != SlotState::kEnded) continue;
    for (std::size_t ring = 0; ring < slot.ring_count; ++ring) {
      if (slot.rings[ring].pending_bytes() != 0) return true;
    }
  }
  return false;
}

void Collector::DrainAll(FirstPeriods first) noexcept {
  BeginDrain();
  if (!frozen_) EndAll();
  for (std::size_t next = 0; DrainTurn(first, next);) {
  }
  FinishDrain();
}

void Collector::BeginDrain() noexcept {
  maps_read_this_drain_ = false;
  fullest_eighths_ = 0;
  needs_early_sweep_ = false;
  left_young_ = 0;
  accounts_.CountDrain();
  if (python_) python_->NextDrain();
  drain_ns_ = spool_.open() && !frozen_ ? MonotonicNs() : 0;
  if (drain_ns_ != 0) time_line_.BeginDrain(drain_ns_);
}

bool Collector::LeavesYoung(const ThreadSlot& slot) noexcept {
  constexpr std::uint64_t kYoungNs = 100'000'000;
  constexpr std::uint64_t kFewBytes = 64;  // two samples; the record of a mapping is longer
  constexpr std::size_t kMostLeft = 16;
  if (drain_ns_ == 0 || slot.spool_thread != spool::kNone || left_young_ == kMostLeft ||
      drain_ns_ >= slot.created_ns + kYoungNs || slot.ring_count == 0) {
    return false;
  }
  for (std::size_t i = 0; i < slot.ring_count; ++i) {
    if (slot.rings[i].pending_bytes() > kFewBytes) return false;
  }
  ++left_young_;
  needs_early_sweep_ = true;
  return true;
}

bool Collector::DrainTurn(FirstPeriods first, std::size_t& next) noexcept {
  const std::size_t end = registry_.high_water();
  for (std::size_t slots = 0; next < end; ++next) {
    ThreadSlot& slot = registry_.at(next);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    // A slot in kStarting is still being filled by its thread. One in kEnded is drained when it is
    // settled, which a sandbox puts off to the end of the process.
    if (state != SlotState::kLive && (state != SlotState::kEnded || !frozen_)) continue;
    if (slots++ == kSlotsPerTurn) return true;
    if (first == FirstPeriods::kReplace && LeavesYoung(slot)) continue;
    DrainSlot(slot, first);
  }
  return false;
}

void Collector::FinishDrain() noexcept {
  const std::uint64_t now_ns = drain_ns_;
  // During an exec more samples may wait than otherwise. If the exec failed, they go into a spool
  // now.
  if (!ending_ && pending_.reached_threshold()) EnsureSpool();
  if (now_ns != 0 && spool_.open()) time_line_.Sweep(now_ns);
  TakeMoments(last_);
  UpdateHeader();
  // Before the columns, which take the clocks of threads without samples from it.
  accounts_.LookAtThreads();
  accounts_.StoreLiveColumns();
  // After the drain, so that the samples of the pause were discarded before the rings go.
  if (pauses_.CanRest() && !frozen_ && pauses_.RestIsDue(MonotonicNs())) CloseEvents();
}

void Collector::MakeAllSteady() noexcept {
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    rings_.MakeSteadyNow(slot, *this);
  }
}

void Collector::UpdateHeader() noexcept {
  if (!spool_.open()) return;
  spool::Header& header = spool_.header();
  spool::Evidence& evidence = accounts_.evidence();
  evidence.lost_mappings = regions_.lost();
  evidence.growth_errno = spool_.refused().sys_errno;
  evidence.growth_refusals = spool_.refused().count;
  evidence.growth_limit = spool_.refused().limit;
  accounts_.Store(header);
  timed_.Store(header);
  if (!frozen_) {
    const CpuNs process = {header.user_ns, header.system_ns};  // as it was just stored
    phase_.StoreTime(spool_, process.total(), pauses_.Until(process).total());
  }
  if (__atomic_load_n(&end_is_marked_, __ATOMIC_RELAXED)) return;
  // An exec that failed had marked the end; the process lives.
  spool_.SetState(spool::State::kLive, spool::End::kUnknown);
}

void Collector::MarkEnd(spool::End end, int detail) noexcept {
  // Before SetState: a drain of another thread must not mark the spool as live again.
  __atomic_store_n(&end_is_marked_, true, __ATOMIC_RELAXED);
  if (spool_.open()) {
    spool_.SetState(spool::State::kComplete, end, static_cast<std::uint32_t>(detail));
  }
}

void Collector::SettleEnd(ThreadSlot& slot) noexcept {
  maps_read_this_drain_ = false;
  if (python_) python_->NextDrain();
  ending_slot_ = &slot;
  DrainSlot(slot);
  ending_slot_ = nullptr;
  if (spool_.open() && !frozen_ && time_line_.HasRow(slot)) {
    time_line_.LastLook(slot, slot.has_ended() ? slot.end.monotonic_ns : MonotonicNs());
  }
  // A thread whose end no hook saw has no known time of it.
  if (timed_.on() && slot.has_ended() && CanAddTimed()) {
    timed_.AddEnd(slot, slot.end.monotonic_ns);
  }
  accounts_.SettleEnded(slot);
}

void Collector::EndThread(ThreadSlot& slot) noexcept {
  SettleEnd(slot);
  // After SettleEnd, which still reads the pages of the rings.
  rings_.Disarm(slot);
  timers_.Disarm(slot);
  registry_.Release(slot);
}

bool Collector::EndSome(LeftRings& left) noexcept {
  while (!left.full()) {
    ThreadSlot* const slot = registry_.TakeEnded();
    if (!slot) return false;
    SettleEnd(*slot);
    left.Take(*slot);
    if (!frozen_) timers_.Disarm(*slot);
    registry_.Release(*slot);
  }
  return true;
}

void Collector::EndAll() noexcept {
  LeftRings left;
  for (bool more = true; more;) {
    more = EndSome(left);
    if (frozen_) {
      left = LeftRings();
    } else {
      left.Unmap(kernel_);
    }
  }
}

void Collector::StoreRoutines() noexcept {
  for (ShortThreadTable::Routine& routine : accounts_.short_threads()) {
    // Records are added once and updated afterwards.
    if (routine.spool_id == spool::kNone) {
      spool::RoutineRecord record = {};
      record.start_routine = routine.start_routine;
      record.start_region = routine.start_routine ? RegionOf(routine.start_routine) : spool::kNone;
      routine.spool_id = spool_.Add(record);
    }
    if (auto* record = spool_.At<spool::RoutineRecord>(routine.spool_id)) {
      StoreLive(record->threads, routine.threads);
      StoreLive(record->cpu_ns, routine.cpu_ns);
    }
  }
}

void Collector::SettleAll() noexcept {
  EndAll();
  accounts_.SettleLive();
  if (!spool_.open()) {
    if (accounts_.Significance() < final_threshold_ || !EnsureSpool()) return;
    accounts_.SettleLive();  // into the records that came with the spool
  }
  StoreRoutines();
  if (!frozen_) time_line_.Sweep(MonotonicNs(), TimeLine::Which::kAll);
  UpdateHeader();
}

void Collector::DrainBeforeUnload(bool (*may_go)(std::uint64_t pc)) noexcept {
  if (AnythingPending()) {
    // As a process that ends: more samples may wait (WaitingLimit).
    const bool ending = ending_;
    // The spool must not be made for the number of samples alone: that would cost each program with
    // one plugin 500 us.
    ending_ = true;
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
  // Set even if no spool can be made: samples from then on are counted, but not kept. EnsureSpool
  // reads all mappings now, because none can be read later.
  frozen_soon_ = true;
  if (EnsureSpool()) {
    DrainAll();
    // No event may be opened in the sandbox, and a short first period would fill its ring between
    // two drains.
    MakeAllSteady();
  }
  FreezeAsItIs();
}

void Collector::FreezeAsItIs() noexcept {
  frozen_soon_ = true;
  if (spool_.open()) spool_.Freeze();
  frozen_ = true;
  if (moments_) moments_->Hold(true);
  accounts_.EnterSandbox();
  UpdateHeader();
}

void Collector::ResetAfterFork() noexcept {
  // A thread of the parent may have held the lock at the fork.
  lock_.ResetAfterFork();
  end_is_marked_ = false;
  // The parent's spool stays as it is. Its mappings do not exist in the child (MADV_DONTFORK).
  spool_.ForgetAfterFork();
  ClearAccounts();
  accounts_.process_clock().ResetAfterFork();
  pauses_.ResetAfterFork();
}

void Collector::ClearAccounts() noexcept {
  regions_.Clear();
  if (chains_) chains_->Clear();
  if (python_) python_->Clear();
  bad_stacks_ = 0;
  spool_failed_ = ending_ = false;
  maps_read_this_drain_ = false;
  pending_.Clear();
  thread_records_ = 0;
  child_records_ = 0;
  shared_child_ = spool::kNone;
  shared_records_.Clear();
  fullest_eighths_ = 0;
  // Regions and records that others have kept are no longer valid (LastPlace, WaitObserver).
  ++epoch_;
  if (timed_.on()) {
    for (std::size_t i = 0; i < registry_.high_water(); ++i) {
      registry_.at(i).timed.begin_is_written = false;
    }
  }
  placed_ = {};
  accounts_.Clear();
  time_line_.Clear();
  timed_.Clear();
  const CpuNs now = ProcessCpu();
  pauses_.Clear(now);
  phase_.Leave(now.total());
}

}  // namespace csink

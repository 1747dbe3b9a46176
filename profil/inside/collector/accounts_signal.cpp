#include <cstring>

#include "core/machine/clocks.h"
#include "core/machine/thread_name.h"
#include "core/util/thread_id.h"
#include "profil/inside/collector/accounts.h"
#include "profil/inside/spool/writer.h"

/// File: the sums of the process. There are two: ended_ grows as threads end; settled_ is ended_
/// plus the threads that ran at the last SettleLive. All fields of the spool are stored by
/// StoreLive, because a reader in another process may look at any time.

namespace csink {
namespace {

// A thread whose rings are empty is not drained: it sleeps, or its event has lost its counter. The
// last look at its times has read its clock.
std::uint64_t LastKnownCpuNs(const ThreadSlot& slot) noexcept {
  const SlotTimes& times = slot.times;
  const std::uint64_t looked_ns = times.end_ns != 0 ? times.before.run_ns + times.run_ns : 0;
  return looked_ns > slot.drained_cpu_ns ? looked_ns : slot.drained_cpu_ns;
}

// Word by word: a reader may look at any time.
void StoreEvidence(const spool::Evidence& from, spool::Evidence& to) noexcept {
  constexpr std::size_t kWords = sizeof(spool::Evidence) / sizeof(std::uint64_t);
  std::uint64_t words[kWords];
  std::memcpy(words, &from, sizeof words);
  auto* fields = reinterpret_cast<std::uint64_t*>(&to);
  for (std::size_t i = 0; i < kWords; ++i) __atomic_store_n(fields + i, words[i], __ATOMIC_RELAXED);
}

}  // namespace

void Accounts::BeginThread(ThreadSlot& slot, pid_t tid, bool armed) noexcept {
  // Seen and sampled are counted by adds: threads begin without the lock.
  __atomic_fetch_add(&threads_seen_, 1, __ATOMIC_RELAXED);
  if (armed) __atomic_fetch_add(&threads_sampled_, 1, __ATOMIC_RELAXED);
  const long now = kernel_.ThreadCpuNs(tid);
  // A thread that is adopted, or armed late, has used CPU time before; only the time from now on
  // can be in samples.
  slot.armed_cpu_ns = slot.drained_cpu_ns = now > 0 ? static_cast<std::uint64_t>(now) : 0;
  // A clock is read only where the creator has not begun the times.
  if (slot.times.begin_ns == 0) BeginWallTimes(kernel_, slot, slot.armed_cpu_ns, MonotonicNs());
  slot.in_pause = pauses_.pausing();
  slot.pause_from_ns = slot.armed_cpu_ns;
  if (slot.is_main) process_clock_.Begin(ProcessCpu().total(), slot.armed_cpu_ns);
}

void Accounts::CountLost(ThreadSlot& slot, std::size_t event, std::uint64_t count) noexcept {
  slot.lost_records += count;
  losses_.AddRecords(event, count);
  if (spool_.open()) {
    StoreLive(spool_.header().events[event].lost_records, losses_.lost_records(event));
  }
}

void Accounts::CountThrottled(std::size_t event) noexcept {
  losses_.AddThrottled(event);
  if (spool_.open()) StoreLive(spool_.header().events[event].throttled, losses_.throttled(event));
}

std::uint64_t Accounts::CpuNsOf(const ThreadSlot& slot) const noexcept {
  const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  return now > 0 ? static_cast<std::uint64_t>(now) : slot.drained_cpu_ns;
}

void Accounts::SwitchedOff(ThreadSlot& slot, bool off) noexcept {
  // prctl may be called twice with the same value; the begin of the first call counts.
  if (slot.switched_off == off) return;
  const std::uint64_t cpu = CpuNsOf(slot);
  if (off) {
    slot.off_from_ns = cpu;
  } else {
    slot.off_ns = SwitchedOffNs(slot, cpu);
  }
  slot.switched_off = off;
}

// CPU time that no other cause explains, for instance time in which the program had switched the
// events off. Includes unseen threads (unseen_ns), which have no cause of their own in the header.
void Accounts::ExplainClock(const spool::Header& header, const CpuNs& process) noexcept {
  const CpuNs paused = pauses_.Until(process);
  const std::uint64_t known = SampledNs(header) + losses_.ExplainedNs() + paused.user +
                              (clock_.has_system ? paused.system : 0);
  std::uint64_t spent =
      process.user > header.start_user_ns ? process.user - header.start_user_ns : 0;
  if (clock_.has_system && process.system > header.start_system_ns) {
    spent += process.system - header.start_system_ns;
  }
  losses_.Set(spool::Loss::kUnexplained, spent > known ? spent - known : 0);
}

void Accounts::EnterSandbox() noexcept {
  if (frozen_) return;
  frozen_ = true;
  ProcessCpuNs(&evidence_.sandbox_user_ns, &evidence_.sandbox_system_ns);
  evidence_.sandbox_monotonic_ns = MonotonicNs();
  sandbox_weight_ns_ = spool_.open() ? SampledNs(spool_.header()) : 0;
}

void Accounts::LeaveSandbox() noexcept {
  frozen_ = false;
  evidence_.sandbox_user_ns = evidence_.sandbox_system_ns = 0;
  evidence_.sandbox_monotonic_ns = evidence_.sandbox_sampled_ns = 0;
}

// The clocks cannot be read in a sandbox, but the samples go on: what they stand for was used.
void Accounts::StoreSandboxed(spool::Header& header) noexcept {
  const std::uint64_t all_ns = SampledNs(header);
  evidence_.sandbox_sampled_ns = all_ns > sandbox_weight_ns_ ? all_ns - sandbox_weight_ns_ : 0;
  StoreLive(header.user_ns, evidence_.sandbox_user_ns + evidence_.sandbox_sampled_ns);
  StoreLive(header.system_ns, evidence_.sandbox_system_ns);
}

std::uint64_t Accounts::OwnWorkClockNs() const noexcept {
  if (!own_work_of_process_) return ThreadCpuNs();
  const long now = kernel_.ProcessCpuNs(0);
  return now > 0 ? static_cast<std::uint64_t>(now) : 0;
}

void Accounts::BeginOwnWork() noexcept {
  if (frozen_) return;
  own_work_of_process_ = registry_.used() <= 1;
  own_work_from_ns_ = OwnWorkClockNs();
  own_work_ = true;
}

void Accounts::AddOwnWork() noexcept {
  if (!own_work_ || frozen_) return;
  const std::uint64_t now = OwnWorkClockNs();
  if (now > own_work_from_ns_) AddOwnCost(now - own_work_from_ns_);
  own_work_from_ns_ = now;
}

void Accounts::EndOwnWork() noexcept {
  AddOwnWork();
  own_work_ = false;
  if (spool_.open()) StoreLive(spool_.header().agent_ns, own_cost_ns());
}

void Accounts::Store(spool::Header& header) noexcept {
  AddOwnWork();
  StoreLive(header.drains, drains_);
  StoreLive(header.threads_seen, threads_seen());
  StoreLive(header.threads_sampled, __atomic_load_n(&threads_sampled_, __ATOMIC_RELAXED));
  StoreLive(header.agent_ns, own_cost_ns());
  if (frozen_) StoreSandboxed(header);
  StoreEvidence(evidence_, header.evidence);
  if (frozen_) {
    losses_.StoreNs(header);
    return;
  }
  CpuNs process;
  std::uint64_t switches = 0;
  ProcessCpuNs(&process.user, &process.system, &switches);
  StoreLive(header.switches, switches);
  StoreLive(header.unseen_ns, unseen_ns_);
  StoreLive(header.switched_off_ns, switched_off_ns_);
  StoreLive(header.user_ns, process.user);
  StoreLive(header.system_ns, process.system);
  StoreLive(header.paused, pauses_.pausing() ? 1u : 0u);
  StoreLive(header.paused_ns, pauses_.SampledNsUntil(process));
  if (clock_.event >= 0) ExplainClock(header, process);
  losses_.StoreNs(header);
  StoreLive(header.update_monotonic_ns, MonotonicNs());
}

// With random first periods a thread without a sample is no loss: other threads had a sample before
// a full period was over, and their samples stand for this one. Only threads shorter than the
// shortest first period can have none.
bool Accounts::OthersSpeakFor(std::uint64_t cpu_ns) const noexcept {
  return clock_.event >= 0 && rings_.random_first() &&
         cpu_ns > ShortestFirstPeriod(clock_.period_ns, true);
}

void Accounts::StoreColumns(const ThreadSums& sums, spool::Header& header) const noexcept {
  for (std::size_t i = 0; i < header.event_count; ++i) {
    spool::EventColumn& column = header.events[i];
    const EventAccount::Totals& totals = sums.events[i];
    StoreLive(column.enabled_ns, totals.enabled_ns);
    StoreLive(column.running_ns, totals.running_ns);
    StoreLive(column.throttled_ns, totals.throttled_ns);
    StoreLive(column.unsampled, totals.unsampled);
    // Only events that need a counter have an account of due time, and a rate that the kernel's
    // limit may lower.
    if (!rings_.needs_counter(i)) continue;
    StoreLive(column.due_ns, sums.due_ns);
    if (column.frequency_hz != 0) StoreLive(column.frequency_hz, rings_.frequency_hz(i));
    if (losses_.throttled(i) != 0) StoreLive(column.rate_limit_hz, rate_limit_hz_);
  }
}

void Accounts::StoreLiveColumns() noexcept {
  if (!spool_.open() || !rings_.counts_hardware()) return;
  ThreadSums all = ended_;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    const ThreadSlot& slot = registry_.at(i);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    if (state != SlotState::kLive && state != SlotState::kEnded) continue;
    all.AddEvents(rings_, slot, DueNs(slot, LastKnownCpuNs(slot)), false);
  }
  StoreColumns(all, spool_.header());
}

void Accounts::StoreThread(ThreadSlot& slot, bool ended, std::uint64_t cpu_ns,
                           ThreadSums& sums) noexcept {
  if (!spool_.open() || slot.spool_thread == spool::kNone) return;
  if (slot.spool_thread == spool::kMergedThread) {
    sums.merged_cpu_ns += cpu_ns;
    sums.merged_sampled_ns += slot.clock_weight;
    return;
  }
  auto* record = spool_.At<spool::ThreadRecord>(slot.spool_thread);
  if (!record) return;
  // A shared record gets each of its threads once, at the end of the thread.
  if (record->flags & spool::kThreadShared) {
    AddToShared(slot, cpu_ns, *record);
    return;
  }
  // A thread may change its name at any time; the last one is the most useful in a report. Main's
  // name is the program's.
  if (slot.has_ended()) {
    if (!slot.is_main) std::memcpy(record->name, slot.end.name, sizeof record->name);
  } else if (!frozen_ && !slot.is_main) {
    ReadThreadName(slot.tid.load(std::memory_order_relaxed), record->name);
  }
  StoreLive(record->cpu_ns, cpu_ns);
  StoreLive(record->sampled_ns, slot.clock_weight);
  StoreLive(record->lost_records, slot.lost_records);
  StoreWallTimes(slot.times, *record);
  if (ended) StoreLive(record->ended, 1u);
}

void Accounts::AddToShared(const ThreadSlot& slot, std::uint64_t cpu_ns,
                           spool::ThreadRecord& record) noexcept {
  StoreLive(record.threads, record.threads + 1);
  StoreLive(record.cpu_ns, record.cpu_ns + cpu_ns);
  StoreLive(record.sampled_ns, record.sampled_ns + slot.clock_weight);
  StoreLive(record.lost_records, record.lost_records + slot.lost_records);
  AddWallTimes(slot.times, record);
  StoreLive(record.ended, 1u);
}

void Accounts::Settle(ThreadSlot& slot, bool ended, ThreadSums& sums) noexcept {
  const bool left = slot.has_ended();
  // In a sandbox the clock is not asked; a thread that ended unseen has none.
  const long clock = left      ? static_cast<long>(slot.end.cpu_ns)
                     : frozen_ ? -1
                               : kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  const std::uint64_t cpu = clock > 0 ? static_cast<std::uint64_t>(clock) : slot.drained_cpu_ns;
  if (clock > 0) {
    LookAtWallTimes(kernel_, slot, cpu, left ? slot.end.monotonic_ns : MonotonicNs(), true);
  }
  AddWall(slot, sums);
  const std::uint64_t not_sampled = slot.armed_cpu_ns + Pauses::NsOf(slot, cpu);
  const std::uint64_t since_armed = cpu > not_sampled ? cpu - not_sampled : 0;
  sums.known_cpu_ns += cpu;
  sums.switched_off_ns += SwitchedOffNs(slot, cpu);
  // Time in a pause that closed the events is no loss.
  if (!slot.armed() && !slot.resting) {
    // The thread has no event, so all of its time is in no sample.
    sums.no_ring_ns += since_armed;
  } else if (slot.samples == 0 && ended && !slot.is_main && slot.lost_records == 0 &&
             since_armed != 0 && !OthersSpeakFor(since_armed)) {
    losses_.Add(spool::Loss::kShortThread, since_armed);
    short_threads_.Add(reinterpret_cast<std::uint64_t>(slot.start_routine), since_armed);
  }
  losses_.Add(spool::Loss::kBlockedDrain, slot.blocked_lost_ns);
  // Counted for good, so that a second SettleLive does not add it again.
  slot.blocked_lost_ns = 0;
  // The count of the calling thread's events can be read exactly (docs/design/sampling.md).
  const bool own =
      slot.account_count != 0 && !frozen_ && slot.tid.load(std::memory_order_relaxed) == AskTid();
  sums.AddEvents(rings_, slot, DueNs(slot, cpu), own);
  StoreThread(slot, ended, cpu, sums);
}

void Accounts::StoreSums(const ThreadSums& sums) noexcept {
  // Set, not added: the sums contain all threads so far.
  losses_.Set(spool::Loss::kNoRing, sums.no_ring_ns);
  if (!spool_.open()) return;
  StoreColumns(sums, spool_.header());
  if (auto* merged = spool_.At<spool::ThreadRecord>(spool::kMergedThread)) {
    StoreLive(merged->cpu_ns, sums.merged_cpu_ns);
    StoreLive(merged->sampled_ns, sums.merged_sampled_ns);
  }
  StoreWall(sums);
}

void Accounts::AddWall(const ThreadSlot& slot, ThreadSums& sums) const noexcept {
  sums.wall.Add(slot.times);
  if (!HasRecord(slot)) sums.merged_wall.Add(slot.times);
}

void Accounts::StoreWall(const ThreadSums& sums) noexcept {
  spool::WallTotals& wall = spool_.header().wall;
  sums.wall.Store(wall);
  if (wall.processors == 0 && !frozen_) StoreLive(wall.processors, AllowedProcessors());
  auto* merged = spool_.At<spool::ThreadRecord>(spool::kMergedThread);
  if (merged) sums.merged_wall.Store(*merged);
}

void Accounts::LookAtThreads() noexcept {
  if (frozen_ || !spool_.open()) return;
  const std::uint64_t now_ns = MonotonicNs();
  if (now_ns < next_look_ns_) return;
  // An eighth of the run so far may be missing after a kill, and a second at most.
  constexpr std::uint64_t kSoonestNs = 50'000'000;
  constexpr std::uint64_t kLatestNs = 1'000'000'000;
  const std::uint64_t start_ns = spool_.header().start_monotonic_ns;
  std::uint64_t next_ns = now_ns > start_ns ? (now_ns - start_ns) / 8 : 0;
  if (next_ns < kSoonestNs) next_ns = kSoonestNs;
  if (next_ns > kLatestNs) next_ns = kLatestNs;
  next_look_ns_ = now_ns + next_ns;

  ThreadSums all = ended_;
  unsigned readings = 0;
  const std::size_t end = registry_.high_water();
  const std::size_t first = first_looked_at_ < end ? first_looked_at_ : 0;
  bool missed = false;
  for (std::size_t i = 0; i < end; ++i) {
    // A ring over the slots, so that each thread has its turn in a process with many of them.
    const std::size_t index = first + i < end ? first + i : first + i - end;
    ThreadSlot& slot = registry_.at(index);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    if (state != SlotState::kLive && state != SlotState::kEnded) continue;
    // 0 or less: the thread has ended; its end is settled by SettleEnd.
    const long cpu = state == SlotState::kEnded
                         ? 0
                         : kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
    if (cpu > 0) {
      const WallLook done = LookAtWallTimes(kernel_, slot, static_cast<std::uint64_t>(cpu),
                                            MonotonicNs(), readings < kMostReadings);
      if (done == WallLook::kRead) ++readings;
      // The next look begins with the first thread that had no reading.
      if (done == WallLook::kNotUpToDate && !missed) {
        missed = true;
        first_looked_at_ = index;
      }
    }
    AddWall(slot, all);
    if (!HasRecord(slot)) continue;
    auto* record = spool_.At<spool::ThreadRecord>(slot.spool_thread);
    if (record) StoreWallTimes(slot.times, *record);
  }
  StoreWall(all);
}

void Accounts::SettleEnded(ThreadSlot& slot) noexcept {
  Settle(slot, true, ended_);
  StoreSums(ended_);
}

void Accounts::CompareClocks(const ThreadSums& sums) noexcept {
  switched_off_ns_ = sums.switched_off_ns;
  unseen_ns_ = 0;
  if (!process_clock_.known()) return;
  const CpuNs process = ProcessCpu();
  // Each known thread may have used a little more after its clock was read last, so their number is
  // needed, too.
  unseen_ns_ = process_clock_.UnseenNs(kernel_, {process.total(), sums.known_cpu_ns,
                                                 pauses_.Until(process).total(), threads_seen()});
}

void Accounts::LearnRateLimit() noexcept {
  if (!rings_.counts_hardware()) return;
  for (std::size_t i = 0; i < kMaxEventSpecs; ++i) {
    if (losses_.throttled(i) == 0) continue;
    const long limit_hz = kernel_.MaxSampleRateHz();
    // One limit holds for all events, so the first one that was throttled is enough.
    if (limit_hz > 0) rate_limit_hz_ = static_cast<std::uint64_t>(limit_hz);
    return;
  }
}

void Accounts::SettleLive() noexcept {
  // A copy of the sums of the ended threads: the threads that run must not be added twice.
  ThreadSums all = ended_;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    const SlotState state = slot.state.load(std::memory_order_acquire);
    // A thread may have ended just now and not be settled yet.
    if (state == SlotState::kLive || state == SlotState::kEnded) Settle(slot, false, all);
  }
  if (!frozen_) {
    CompareClocks(all);
    LearnRateLimit();
  }
  // Significance, records of small processes and the columns use these sums later.
  settled_ = all;
  StoreSums(all);
}

std::uint64_t Accounts::Significance() const noexcept {
  // Lost CPU time counts as the samples that it would have given.
  return samples_ + waits_ + losses_.ns(spool::Loss::kShortThread) / clock_.period_ns +
         losses_.ns(spool::Loss::kNoRing) / clock_.period_ns + unseen_ns_ / clock_.period_ns;
}

void Accounts::Clear() noexcept {
  own_work_ = false;
  samples_ = waits_ = own_cost_ns_ = drains_ = child_weight_ns_ = 0;
  threads_seen_ = threads_sampled_ = 0;
  unseen_ns_ = switched_off_ns_ = 0;
  evidence_ = {};
  next_look_ns_ = 0;
  losses_ = Losses();
  short_threads_.Clear();
  process_clock_.Clear();
  ended_ = settled_ = ThreadSums();
}

}  // namespace csink

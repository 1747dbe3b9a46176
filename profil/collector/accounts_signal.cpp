#include "core/machine/clocks.h"
#include "core/machine/thread_name.h"
#include "core/util/thread_id.h"
#include "profil/collector/collector.h"
#include "profil/collector/live_store.h"

/// File: the collector's accounts: what was seen, what was not sampled and why.

namespace csink {
namespace {

// How old the times in an event's page may be: a tick of 100 Hz, and its delay on a shared machine.
constexpr std::uint64_t kMostStaleNs = 15'000'000;

}  // namespace

void Collector::UpdateHeader() noexcept {
  if (!spool_.open()) return;
  FillAccounts(spool_.header());
  if (__atomic_load_n(&end_is_told_, __ATOMIC_RELAXED)) return;
  // An exec that failed had marked the end.
  spool_.SetState(spool::State::kLive, spool::End::kUnknown);
}

void Collector::EndIsTold(spool::End end, int detail) noexcept {
  __atomic_store_n(&end_is_told_, true, __ATOMIC_RELAXED);
  if (spool_.open()) {
    spool_.SetState(spool::State::kComplete, end, static_cast<std::uint32_t>(detail));
  }
}

void Collector::FillAccounts(spool::Header& header) noexcept {
  StoreLive(header.drains, drains_);
  StoreLive(header.threads_seen, __atomic_load_n(&threads_seen_, __ATOMIC_RELAXED));
  StoreLive(header.threads_sampled, __atomic_load_n(&threads_sampled_, __ATOMIC_RELAXED));
  StoreLive(header.agent_ns, own_cost_ns_);
  if (frozen_) {
    for (std::size_t i = 0; i < spool::kLossCauses; ++i) StoreLive(header.lost_ns[i], lost_ns_[i]);
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
  StorePauseAndPhase(header, process);
  if (clock_event_ >= 0) {
    // What no other cause explains: sampling switched off by the program, for instance.
    std::uint64_t known = header.events[clock_event_].weight;
    for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Loss::kUnexplained); ++i) {
      known += lost_ns_[i];
    }
    const CpuNs paused = pauses_.Until(process);
    known += paused.user + (clock_has_system_ ? paused.system : 0);
    std::uint64_t spent =
        process.user > header.start_user_ns ? process.user - header.start_user_ns : 0;
    if (clock_has_system_ && process.system > header.start_system_ns) {
      spent += process.system - header.start_system_ns;
    }
    lost_ns_[static_cast<std::size_t>(spool::Loss::kUnexplained)] =
        spent > known ? spent - known : 0;
  }
  for (std::size_t i = 0; i < spool::kLossCauses; ++i) StoreLive(header.lost_ns[i], lost_ns_[i]);
  StoreLive(header.update_monotonic_ns, MonotonicNs());
}

void Collector::CountShortThread(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept {
  lost_ns_[static_cast<std::size_t>(spool::Loss::kShortThread)] += cpu_ns;
  const auto start = reinterpret_cast<std::uint64_t>(slot.start_routine);
  Routine* routine = nullptr;
  for (std::size_t i = 0; i < routine_count_ && !routine; ++i) {
    if (routines_[i].start_routine == start) routine = &routines_[i];
  }
  if (!routine && routine_count_ < kRoutines) {
    routine = &routines_[routine_count_++];
    *routine = {routine_count_ < kRoutines ? start : 0, 0, 0, spool::kNone};
  }
  if (!routine) routine = &routines_[kRoutines - 1];
  ++routine->threads;
  routine->cpu_ns += cpu_ns;
}

// With random first periods a thread without a sample is nothing lost: as many others had one
// before their time. Only those too short for any are.
bool Collector::OthersSpeakFor(std::uint64_t cpu_ns) const noexcept {
  return clock_event_ >= 0 && rings_.random_first() &&
         cpu_ns > ShortestFirstPeriod(clock_period_ns_, true);
}

// An event's page shows its times as of the kernel's last update. What is missing up to now (at
// most a tick in frequency mode, some samples' time at a fixed period) is divided as the times
// before it are; beyond that the event had no counter.
void Collector::SettleEvents(const ThreadSlot& slot, std::uint64_t due_ns, bool own,
                             Accounts& accounts) noexcept {
  accounts.due_ns += due_ns;
  for (std::size_t i = 0; i < slot.account_count; ++i) {
    EventAccount::Totals now = rings_.AccountOf(slot, i, own);
    if (now.enabled_ns > due_ns) {  // it ran in pauses, too
      now.running_ns -=
          now.running_ns < now.enabled_ns - due_ns ? now.running_ns : now.enabled_ns - due_ns;
      now.enabled_ns = due_ns;
    }
    const std::uint64_t behind_ns = due_ns - now.enabled_ns;
    const std::uint64_t fresh_ns = behind_ns < kMostStaleNs ? behind_ns : kMostStaleNs;
    if (now.enabled_ns != 0) {
      const double part = static_cast<double>(now.running_ns) / static_cast<double>(now.enabled_ns);
      now.running_ns += static_cast<std::uint64_t>(static_cast<double>(fresh_ns) * part);
    } else if (slot.samples != 0) {
      now.running_ns += fresh_ns;  // too young for an update, but it counted
    }
    EventAccount::Totals& sum = accounts.events[i];
    sum.enabled_ns += due_ns;
    sum.running_ns += now.running_ns;
    sum.throttled_ns += now.throttled_ns < now.running_ns ? now.throttled_ns : now.running_ns;
    sum.unsampled += now.unsampled;
  }
  for (std::size_t i = slot.account_count; i < slot.ring_count; ++i) {
    const EventAccount::Totals now = rings_.AccountOf(slot, i, false);
    accounts.events[i].enabled_ns += now.enabled_ns;
    accounts.events[i].running_ns += now.running_ns;
  }
}

void Collector::StoreColumns(const Accounts& accounts, spool::Header& header) const noexcept {
  for (std::size_t i = 0; i < header.event_count; ++i) {
    spool::EventColumn& column = header.events[i];
    const EventAccount::Totals& totals = accounts.events[i];
    StoreLive(column.enabled_ns, totals.enabled_ns);
    StoreLive(column.running_ns, totals.running_ns);
    StoreLive(column.throttled_ns, totals.throttled_ns);
    StoreLive(column.unsampled, totals.unsampled);
    if (!rings_.needs_counter(i)) continue;
    StoreLive(column.due_ns, accounts.due_ns);
    if (column.frequency_hz != 0) StoreLive(column.frequency_hz, rings_.frequency_hz(i));
    if (throttled_[i] != 0) StoreLive(column.rate_limit_hz, rate_limit_hz_);
  }
}

std::uint64_t Collector::DueNs(const ThreadSlot& slot, std::uint64_t cpu_ns) noexcept {
  std::uint64_t not_due = slot.armed_cpu_ns + Pauses::NsOf(slot, cpu_ns) + slot.off_ns;
  if (slot.switched_off && cpu_ns > slot.off_from_ns) not_due += cpu_ns - slot.off_from_ns;
  return cpu_ns > not_due ? cpu_ns - not_due : 0;
}

// For a program that is killed: what the last drain knew of all threads, without a system call.
void Collector::StoreLiveColumns() noexcept {
  if (!spool_.open() || !rings_.counts_hardware()) return;
  Accounts all = ended_;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    const ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    SettleEvents(slot, DueNs(slot, slot.drained_cpu_ns), false, all);
  }
  StoreColumns(all, spool_.header());
}

void Collector::Settle(ThreadSlot& slot, bool ended, Accounts& accounts) noexcept {
  const pid_t tid = slot.tid.load(std::memory_order_relaxed);
  const long now = frozen_ ? 0 : kernel_.ThreadCpuNs(tid);
  const std::uint64_t cpu = now > 0 ? static_cast<std::uint64_t>(now) : slot.drained_cpu_ns;
  const std::uint64_t paused = Pauses::NsOf(slot, cpu);
  const std::uint64_t since_armed =
      cpu > slot.armed_cpu_ns + paused ? cpu - slot.armed_cpu_ns - paused : 0;
  accounts.known_cpu_ns += cpu;
  accounts.switched_off_ns += slot.off_ns;
  if (slot.switched_off && cpu > slot.off_from_ns) {
    accounts.switched_off_ns += cpu - slot.off_from_ns;
  }
  if (!slot.armed() && !slot.resting) {
    accounts.no_ring_ns += since_armed;
  } else if (slot.samples == 0 && ended && !slot.is_main && slot.lost_records == 0 &&
             since_armed != 0 && !OthersSpeakFor(since_armed)) {
    CountShortThread(slot, since_armed);
  }
  lost_ns_[static_cast<std::size_t>(spool::Loss::kBlockedDrain)] += slot.blocked_lost_ns;
  slot.blocked_lost_ns = 0;
  const bool own = slot.account_count != 0 && !frozen_ && tid == AskTid();
  SettleEvents(slot, DueNs(slot, cpu), own, accounts);
  if (!spool_.open() || slot.spool_thread == spool::kNone) return;
  if (slot.spool_thread == spool::kMergedThread) {
    accounts.merged_cpu_ns += cpu;
    accounts.merged_sampled_ns += slot.clock_weight;
    return;
  }
  spool::ThreadRecord* record = spool_.Thread(slot.spool_thread);
  if (!record) return;
  if (!frozen_ && !slot.is_main) ReadThreadName(tid, record->name);
  StoreLive(record->cpu_ns, cpu);
  StoreLive(record->sampled_ns, slot.clock_weight);
  StoreLive(record->lost_records, slot.lost_records);
  if (ended) StoreLive(record->ended, 1u);
}

void Collector::StoreAccounts(const Accounts& accounts) noexcept {
  lost_ns_[static_cast<std::size_t>(spool::Loss::kNoRing)] = accounts.no_ring_ns;
  if (!spool_.open()) return;
  StoreColumns(accounts, spool_.header());
  if (spool::ThreadRecord* merged = spool_.Thread(spool::kMergedThread)) {
    StoreLive(merged->cpu_ns, accounts.merged_cpu_ns);
    StoreLive(merged->sampled_ns, accounts.merged_sampled_ns);
  }
}

void Collector::EndThread(ThreadSlot& slot) noexcept {
  maps_read_this_drain_ = false;
  DrainSlot(slot);
  Settle(slot, true, ended_);
  StoreAccounts(ended_);
  rings_.Disarm(slot);
  timers_.Disarm(slot);
  registry_.Release(slot);
}

void Collector::SettleLive() noexcept {
  // An exec that fails settles, and the program lives on: nothing may be added twice.
  Accounts all = ended_;
  const std::size_t end = registry_.high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) == SlotState::kLive) Settle(slot, false, all);
  }
  if (!frozen_) CompareClocks(all);
  for (std::size_t i = 0; i < kMaxEventSpecs && !frozen_; ++i) {
    if (throttled_[i] == 0 || !rings_.counts_hardware()) continue;
    const long limit_hz = kernel_.MaxSampleRateHz();
    if (limit_hz > 0) rate_limit_hz_ = static_cast<std::uint64_t>(limit_hz);
    break;
  }
  settled_ = all;
  StoreAccounts(all);
}

void Collector::SettleAll() noexcept {
  SettleLive();
  if (!spool_.open()) {
    if (Significance() < final_threshold_ || !EnsureSpool()) return;
    SettleLive();  // into the records that came with the spool
  }
  for (std::size_t i = 0; i < routine_count_; ++i) {
    Routine& routine = routines_[i];
    if (routine.spool_id == spool::kNone) {
      spool::RoutineRecord record = {};
      record.start_routine = routine.start_routine;
      record.start_region = routine.start_routine ? RegionOf(routine.start_routine) : spool::kNone;
      routine.spool_id = spool_.AddRoutine(record);
    }
    if (spool::RoutineRecord* record = spool_.Routine(routine.spool_id)) {
      StoreLive(record->threads, routine.threads);
      StoreLive(record->cpu_ns, routine.cpu_ns);
    }
  }
  UpdateHeader();
}

std::uint64_t Collector::Significance() const noexcept {
  return samples_ +
         lost_ns_[static_cast<std::size_t>(spool::Loss::kShortThread)] / clock_period_ns_ +
         lost_ns_[static_cast<std::size_t>(spool::Loss::kNoRing)] / clock_period_ns_ +
         unseen_ns_ / clock_period_ns_;
}

}  // namespace csink

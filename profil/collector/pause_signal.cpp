#include "core/machine/clocks.h"
#include "profil/collector/collector.h"
#include "profil/collector/live_store.h"

/// File: what scripts and the program itself do to the collection: pauses, marks, a new start.
///
/// A fresh event begins a full period: if each pause took the events away, a program that samples
/// only stretches shorter than a period would never see a sample. So a short pause leaves the
/// events running and throws their samples away (at 1 kHz 1.5 % of the paused time); periods go on
/// as if nothing had happened, and the samples of the stretches add up to their CPU time. A pause
/// that lasts gives the events back and costs nothing any more; what was mapped meanwhile is read
/// from /proc when they return, so that no dummy event is needed to keep the mapping records
/// coming.

namespace csink {

void Collector::RestSlot(ThreadSlot& slot) noexcept {
  if (slot.resting) return;
  // Of events that need a counter the slot keeps what was told (RingSource::AccountOf).
  for (std::size_t i = slot.account_count; i < slot.ring_count; ++i) {
    const EventAccount::Totals now = rings_.AccountOf(slot, i, false);
    ended_.events[i].enabled_ns += now.enabled_ns;
    ended_.events[i].running_ns += now.running_ns;
  }
  rings_.Disarm(slot);
  timers_.Disarm(slot);
  slot.resting = true;
}

void Collector::AgreeOnPause(ThreadSlot& slot) noexcept {
  if (slot.in_pause == pausing_) return;
  const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  const std::uint64_t cpu = now > 0 ? static_cast<std::uint64_t>(now) : slot.drained_cpu_ns;
  if (pausing_) {
    slot.pause_from_ns = cpu;
  } else {
    if (cpu > slot.pause_from_ns) slot.paused_ns += cpu - slot.pause_from_ns;
    slot.drained_cpu_ns = cpu;
  }
  slot.in_pause = pausing_;
}

void Collector::Pause() noexcept {
  if (pausing_) return;
  DrainAll();
  ProcessCpuNs(&pause_from_.user, &pause_from_.system);
  pause_from_monotonic_ns_ = MonotonicNs();
  __atomic_store_n(&pausing_, true, __ATOMIC_SEQ_CST);
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive) AgreeOnPause(slot);
  }
  UpdateHeader();
}

void Collector::Rest() noexcept {
  if (!pausing_ || resting_) return;
  __atomic_store_n(&resting_, true, __ATOMIC_SEQ_CST);
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive) RestSlot(slot);
  }
}

void Collector::Resume() noexcept {
  if (!pausing_) return;
  pause_from_monotonic_ns_ = MonotonicNs();  // this drain takes nobody's events away
  DrainAll();                                // into nothing
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  ProcessCpuNs(&user, &system);
  paused_ = PausedBy(user, system);
  __atomic_store_n(&pausing_, false, __ATOMIC_SEQ_CST);
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive) AgreeOnPause(slot);
  }
  UpdateHeader();
}

void Collector::ReadMapsAgain() noexcept {
  if (spool_.open() && !frozen_) regions_.ReadMaps(spool_);
}

Collector::CpuNs Collector::PausedBy(std::uint64_t user_ns,
                                     std::uint64_t system_ns) const noexcept {
  CpuNs sum = paused_;
  if (pausing_ && user_ns > pause_from_.user) sum.user += user_ns - pause_from_.user;
  if (pausing_ && system_ns > pause_from_.system) sum.system += system_ns - pause_from_.system;
  return sum;
}

std::uint64_t Collector::PausedNs() const noexcept {
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  ProcessCpuNs(&user, &system);
  const CpuNs paused = PausedBy(user, system);
  return paused.user + (system_is_sampled_ ? paused.system : 0);
}

void Collector::StorePauseAndPhase(spool::Header& header, std::uint64_t user_ns,
                                   std::uint64_t system_ns) noexcept {
  const CpuNs paused = PausedBy(user_ns, system_ns);
  StoreLive(header.paused, pausing_ ? 1u : 0u);
  StoreLive(header.paused_ns, paused.user + (system_is_sampled_ ? paused.system : 0));
  spool::PhaseRecord* phase = spool_.open() ? spool_.Phase(phase_) : nullptr;
  if (!phase) return;
  const std::uint64_t spent = user_ns + system_ns - phase_from_ns_;
  const std::uint64_t rested = paused.user + paused.system - phase_paused_ns_;
  StoreLive(phase->cpu_ns, phase_earlier_ns_ + (spent > rested ? spent - rested : 0));
}

// Makes phase_name_ the phase that hits go to.
bool Collector::EnterPhase() noexcept {
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  ProcessCpuNs(&user, &system);
  std::uint32_t id = spool_.FindPhase(phase_name_.view());
  if (id == spool::kNone && spool_.phase_count() < kMaxMarks) {
    id = spool_.AddPhase(phase_name_.view(), MonotonicNs(), user + system);
  }
  spool::PhaseRecord* phase = id == spool::kNone ? nullptr : spool_.Phase(id);
  if (!phase) return false;
  const CpuNs paused = PausedBy(user, system);
  phase_ = id;
  phase_from_ns_ = user + system;
  phase_paused_ns_ = paused.user + paused.system;
  phase_earlier_ns_ = phase->cpu_ns;
  StoreLive(phase->marks, phase->marks + 1);
  return true;
}

bool Collector::Mark(std::string_view name) noexcept {
  DrainAll();  // samples so far are the last phase's, and so is the CPU time
  if (!EnsureSpool()) return false;
  const Text<kMaxMarkBytes + 1> before = phase_name_;
  phase_name_.Clear();
  phase_name_.Add(name);
  if (EnterPhase()) return true;
  phase_name_ = before;
  return false;
}

void Collector::StartAnew() noexcept {
  DrainAll();
  spool_.Discard();
  ClearAccounts();
  threads_seen_ = threads_sampled_ = 0;
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    slot.samples = slot.clock_weight = slot.lost_records = slot.blocked_lost_ns = 0;
    slot.paused_ns = 0;
    for (std::size_t event = 0; event < slot.account_count; ++event) {
      slot.accounts[event].ForgetLosses();
    }
    slot.spool_thread = spool::kNone;
    BeginThread(slot, slot.tid.load(std::memory_order_relaxed), slot.armed() || slot.resting);
  }
}

}  // namespace csink

#include "core/machine/clocks.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

/// File: what scripts and the program itself do to the collection: pauses, marks, a new start. A
/// thread that begins at the same time as a pause is brought in line by itself or by the loops here
/// (Threads::AgreeOnPause); states are loaded and stored with seq_cst for that.

namespace csink {

void Collector::RestSlot(ThreadSlot& slot) noexcept {
  if (slot.resting) return;
  // The accounts of ring events are in the rings' pages, so they are read before the unmapping.
  accounts_.CloseRings(slot);
  // From its last record to the first one after the pause nothing is known of the thread.
  if (timed_.on() && spool_.open()) timed_.LostUntil(slot, MonotonicNs());
  rings_.Disarm(slot);
  timers_.Disarm(slot);
  slot.resting = true;
}

void Collector::AgreeOnPause(ThreadSlot& slot) noexcept {
  if (pauses_.AgreesWith(slot)) return;
  const long now = kernel_.ThreadCpuNs(slot.tid.load(std::memory_order_relaxed));
  // The clock cannot be read after the thread's end; the time of its last drain is the best bound.
  pauses_.Agree(slot, now > 0 ? static_cast<std::uint64_t>(now) : slot.drained_cpu_ns);
}

void Collector::Pause() noexcept {
  if (pauses_.pausing()) return;
  // The samples before the pause are taken first; those of later drains are discarded.
  DrainAll();
  pauses_.Begin(ProcessCpu(), MonotonicNs());
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive) AgreeOnPause(slot);
  }
  UpdateHeader();
}

void Collector::CloseEvents() noexcept {
  if (!pauses_.CanRest()) return;
  // Before the loop: a thread that begins now sees that it needs no events.
  pauses_.BeginRest();
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive) RestSlot(slot);
  }
}

void Collector::Resume() noexcept {
  if (!pauses_.pausing()) return;
  pauses_.PostponeRest(MonotonicNs());  // this drain must not close the events
  DrainAll();                           // drops what was sampled in the pause
  pauses_.End(ProcessCpu());
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive) AgreeOnPause(slot);
  }
  UpdateHeader();
}

void Collector::ReadMapsAgain() noexcept {
  // Without a spool the mappings are read when it is made. In a sandbox they cannot be read.
  if (spool_.open() && !frozen_) regions_.ReadMaps(spool_);
}

std::uint64_t Collector::PausedNs() const noexcept { return pauses_.SampledNsUntil(ProcessCpu()); }

CurrentPhase::Times Collector::PhaseTimes() const noexcept {
  const CpuNs now = ProcessCpu();
  // Phases count system time, too, whether it is sampled or not: the report shows CPU time.
  return {MonotonicNs(), now.total(), pauses_.Until(now).total()};
}

bool Collector::Mark(std::string_view name) noexcept {
  DrainAll();  // samples so far are the last phase's, and so is the CPU time
  // A mark needs a spool, because only a spool has phases.
  return EnsureSpool() && phase_.Enter(spool_, name, PhaseTimes());
}

void Collector::StartAnew() noexcept {
  DrainAll();
  // Discard also unlinks the file, so that no reader finds the samples from before the new start.
  spool_.Discard();
  ClearAccounts();
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_acquire) != SlotState::kLive) continue;
    // The events of the threads run on; only their accounts begin anew.
    slot.samples = slot.clock_weight = slot.lost_records = slot.blocked_lost_ns = 0;
    slot.paused_ns = 0;
    for (std::size_t event = 0; event < slot.account_count; ++event) {
      slot.accounts[event].ForgetLosses();
    }
    // The record was in the spool that is gone; the next sample adds one to the new spool.
    slot.spool_thread = spool::kNone;
    slot.times = {};
    // Also counts the thread as seen again, because Clear has set the numbers to 0.
    accounts_.BeginThread(slot, slot.tid.load(std::memory_order_relaxed),
                          slot.armed() || slot.resting);
  }
}

}  // namespace csink

#include <errno.h>

#include "agent/agent.h"
#include "agent/control/control_fifo.h"
#include "agent/control/control_handover.h"
#include "agent/control_holding.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"
#include "core/util/utf8.h"

/// File: pausing, marking and starting anew, for the control fifo and the C interface.

namespace csink::agent {
const char* SamplingName(Sampling sampling) noexcept {
  switch (sampling) {
    case Sampling::kRunning:
      return "running";
    case Sampling::kPaused:
      return "paused";
    case Sampling::kStopped:
      return "stopped";
  }
  return "running";
}

void ControlState::ResetAfterFork() noexcept {
  forked = true;
  thread.store(0, std::memory_order_relaxed);
  signals.store(0, std::memory_order_relaxed);
  report_lock.ResetAfterFork();
  snapshots = 0;
  left_word = false;
  serves.store(false, std::memory_order_relaxed);
  commands.path.Clear();
  answers.path.Clear();
}

int Agent::Pause() noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  control_.by_hand = true;
  if (sampling() != Sampling::kRunning) return 0;
  collector_.Pause();
  meter_.Command(MeterCommand::kPause);
  control_.sampling.store(Sampling::kPaused, std::memory_order_release);
  return 0;
}

int Agent::Stop() noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  control_.by_hand = true;
  collector_.Pause();
  collector_.Rest();
  meter_.Command(MeterCommand::kPause);
  control_.sampling.store(Sampling::kStopped, std::memory_order_release);
  return 0;
}

int Agent::Resume() noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  if (sampling() == Sampling::kStopped) return EPERM;
  control_.by_hand = true;
  // Whoever resumes by hand does not want the delay any more.
  control_.resume_at_ns.store(0, std::memory_order_relaxed);
  if (config_.duration_ns != 0 && !control_.duration_runs) {
    control_.duration_runs = true;
    control_.stop_at_ns.store(MonotonicNs() + config_.duration_ns, std::memory_order_release);
  }
  if (sampling() == Sampling::kRunning) return 0;
  RearmAfterRest();
  collector_.Resume();
  meter_.Command(MeterCommand::kRun);
  control_.sampling.store(Sampling::kRunning, std::memory_order_release);
  return 0;
}

bool Agent::Arm(ThreadSlot& slot, pid_t tid) noexcept {
  if (sandboxed_) return false;
  slot.resting = collector_.pauses().resting();
  if (slot.resting) return true;
  if (!timer_source_) {
    rings_.set_threads(registry_.used());
    if (rings_.Arm(slot, tid)) return true;
    // No descriptor, no locked memory: a timer needs neither, and one column is
    // better than none. Only where the first column is the clock does it fit.
    if (events_.events[0].kind != EventClass::kClock) return false;
    timers_.Configure(events_.events[0].period);
  }
  return ArmTimer(slot, tid);
}

// Events first, the table of mappings after them: what is mapped in between is in both.
void Agent::RearmAfterRest() noexcept {
  if (!collector_.pauses().resting()) return;
  collector_.pauses().EndRest();
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive && slot.resting) {
      slot.resting = false;
      Arm(slot, slot.tid.load(std::memory_order_relaxed));
    }
  }
  collector_.ReadMapsAgain();
}

// A thread that has just come to be may have looked at the state before it changed: then whoever
// changed it has not seen the thread. Both have stored before they look, all in one order (seq_cst:
// the caller's store of kLive, too), so one of them sees.
void Agent::AgreeOnPause(ThreadSlot& slot) noexcept {
  if (slot.in_pause == collector_.pauses().pausing() &&
      slot.resting == collector_.pauses().resting())
    return;
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (collector_.lock().HeldBy(tid)) return;
  collector_.lock().Lock(tid);
  collector_.AgreeOnPause(slot);
  if (collector_.pauses().resting()) {
    collector_.RestSlot(slot);
  } else if (slot.resting) {
    slot.resting = false;
    Arm(slot, slot.tid.load(std::memory_order_relaxed));
  }
  collector_.lock().Unlock();
}

int Agent::Mark(std::string_view name) noexcept {
  if (name.empty() || !IsPrintableText(name)) return EINVAL;
  if (name.size() > CurrentPhase::kMaxNameBytes) return E2BIG;
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  if (collector_.phase().name() == name) return 0;
  if (collector_.Mark(name)) return 0;
  return spool_.open() && spool_.phase_count() >= CurrentPhase::kMaxPhases ? E2BIG : ENOSPC;
}

void Agent::PauseAtStart() noexcept {
  control_.start_paused = config_.start_paused;
  control_.delay_ns = config_.delay_ns;
  const bool stopped = TakeControlOver() == Sampling::kStopped;
  if (!control_.start_paused && control_.delay_ns == 0) return;
  const bool by_hand = control_.by_hand;
  if ((stopped ? Stop() : Pause()) != 0) return;
  control_.by_hand = by_hand;
  const SignalsBlocked quiet;
  collector_.lock().Lock(AskTid());
  collector_.Rest();
  collector_.lock().Unlock();
}

Sampling Agent::TakeControlOver() noexcept {
  if (config_.control.size() == 0) return Sampling::kRunning;
  Text<640> path;
  ExpandControlPath(config_.control.view(), start_state_.directory,
                    static_cast<std::uint64_t>(pid_), path);
  Handover left;
  if (!TakeHandover(path.view(), left)) return Sampling::kRunning;
  control_.took_word = true;
  control_.inherits_commands = left.made_commands;
  control_.inherits_answers = left.made_answers;
  if (!left.by_hand) return Sampling::kRunning;
  control_.by_hand = true;
  control_.start_paused = left.sampling != Sampling::kRunning;
  control_.delay_ns = 0;
  return left.sampling;
}

// Under the collector's lock, which an exec keeps: nobody pauses between this and the new image.
void Agent::HandControlOn(bool exec_follows) noexcept {
  // An image that goes before its control thread has begun hands on what it was given.
  const bool serves = control_.serves.load(std::memory_order_acquire);
  if (!serves && (control_.forked || !control_.took_word)) return;
  if (!exec_follows && !control_.left_word) return;
  Text<640> path;
  ExpandControlPath(config_.control.view(), start_state_.directory,
                    static_cast<std::uint64_t>(pid_), path);
  if (!exec_follows) DropHandover(path.view());
  const bool commands = serves ? control_.commands.path.size() != 0 : control_.inherits_commands;
  const bool answers = serves ? control_.answers.path.size() != 0 : control_.inherits_answers;
  control_.left_word =
      exec_follows && LeaveHandover(path.view(), {control_.by_hand, sampling(), commands, answers});
}

ControlStatus Agent::Status() noexcept {
  ControlStatus status;
  const Holding holding(*this);
  status.error = holding.error();
  status.sampling = sampling();
  if (status.error != 0) return status;
  status.samples = collector_.accounts().samples();
  status.paused_ns = collector_.PausedNs();
  status.mark.Add(collector_.phase().name());
  if (spool_.open()) status.spool.Add(spool_.path());
  return status;
}

int Agent::StartAnew() noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  collector_.StartAnew();
  meter_.StartAnew();
  start_state_.monotonic_ns = MonotonicNs();
  start_state_.realtime_ns = RealtimeNs();
  ProcessCpuNs(&start_state_.user_ns, &start_state_.system_ns, &start_state_.switches);
  return 0;
}

}  // namespace csink::agent

#include <errno.h>

#include "agent/control/control_fifo.h"
#include "agent/control/control_handover.h"
#include "agent/control/control_holding.h"
#include "agent/control/controller.h"
#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"
#include "core/util/utf8.h"

/// File: pausing, marking and starting anew, for the control fifo and the C interface. Each request
/// takes the collector's lock by Holding, changes the collector, the meter and ControlState
/// together, and returns an errno.

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
  // A child must not remove the parent's fifos, so the paths are cleared without unlinking.
  signals.store(0, std::memory_order_relaxed);
  report_lock.ResetAfterFork();
  fifo_lock.ResetAfterFork();
  snapshots = 0;
  left_handover = false;
  serves.store(false, std::memory_order_relaxed);
  commands.path.Clear();
  answers.path.Clear();
}

int Controller::Pause(Origin origin) noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  state_.by_hand = origin == Origin::kRequest;
  if (sampling() != Sampling::kRunning) return 0;
  collector_.Pause();
  meter_.Command(MeterCommand::kPause);
  state_.sampling.store(Sampling::kPaused, std::memory_order_release);
  return 0;
}

int Controller::Stop(Origin origin) noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  state_.by_hand = origin == Origin::kRequest;
  collector_.Pause();
  // Unlike in a pause, events are closed at once: no resume will need their running periods.
  collector_.CloseEvents();
  meter_.Command(MeterCommand::kPause);
  state_.sampling.store(Sampling::kStopped, std::memory_order_release);
  return 0;
}

int Controller::Resume(Origin origin) noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  if (sampling() == Sampling::kStopped) return EPERM;
  state_.by_hand = origin == Origin::kRequest;
  // A resume by hand ends the delay of CSINK_DELAY.
  state_.resume_at_ns.store(0, std::memory_order_relaxed);
  if (config_.duration_ns != 0 && !state_.duration_runs) {
    state_.duration_runs = true;
    state_.stop_at_ns.store(MonotonicNs() + config_.duration_ns, std::memory_order_release);
  }
  if (sampling() == Sampling::kRunning) return 0;
  RearmAfterRest();
  collector_.Resume();
  meter_.Command(MeterCommand::kRun);
  state_.sampling.store(Sampling::kRunning, std::memory_order_release);
  return 0;
}

// The events are opened first and the mappings read afterwards: a mapping that is made in between
// is then in both, and none is missed.
void Controller::RearmAfterRest() noexcept {
  if (!collector_.pauses().resting()) return;
  collector_.pauses().EndRest();
  for (std::size_t i = 0; i < registry_.high_water(); ++i) {
    ThreadSlot& slot = registry_.at(i);
    if (slot.state.load(std::memory_order_seq_cst) == SlotState::kLive && slot.resting) {
      slot.resting = false;
      events_.Arm(slot, slot.tid.load(std::memory_order_relaxed));
    }
  }
  collector_.ReadMapsAgain();
}

int Controller::Mark(std::string_view name) noexcept {
  if (name.empty() || !IsPrintableText(name)) return EINVAL;
  if (name.size() > CurrentPhase::kMaxNameBytes) return E2BIG;
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  // A loop that sets the same mark again costs nothing.
  if (collector_.phase().name() == name) return 0;
  if (collector_.Mark(name)) return 0;
  return spool_.open() && spool_.phase_count() >= CurrentPhase::kMaxPhases ? E2BIG : ENOSPC;
}

void Controller::BeginSampling() noexcept {
  state_.start_paused = config_.start_paused;
  state_.delay_ns = config_.delay_ns;
  // An image before this one may have been paused or stopped by hand; that is stronger than the
  // settings.
  const bool stopped = TakeOver() == Sampling::kStopped;
  if (!state_.start_paused && state_.delay_ns == 0) return;
  const bool by_hand = state_.by_hand;
  if ((stopped ? Stop(Origin::kSetting) : Pause(Origin::kSetting)) != 0) return;
  state_.by_hand = by_hand;  // a request to the image before this one is still a request
  const SignalsBlocked quiet;
  collector_.lock().Lock(AskTid());
  collector_.CloseEvents();
  collector_.lock().Unlock();
}

Sampling Controller::TakeOver() noexcept {
  if (config_.control.size() == 0) return Sampling::kRunning;
  Text<640> path;
  ExpandControlPath(config_.control.view(), start_state_.directory,
                    static_cast<std::uint64_t>(process_.pid()), path);
  Handover left;
  if (!TakeHandover(path.view(), left)) return Sampling::kRunning;
  state_.took_handover = true;
  state_.inherits_commands = left.made_commands;
  state_.inherits_answers = left.made_answers;
  if (!left.by_hand) return Sampling::kRunning;
  state_.by_hand = true;
  state_.start_paused = left.sampling != Sampling::kRunning;
  state_.delay_ns = 0;
  return left.sampling;
}

// A handler of the program that interrupted the holder finds the lock held by its own thread.
void Controller::HoldFifos() noexcept {
  constexpr std::uint64_t kLimitNs = 1'000'000'000;  // The file system of the fifo may hang
  const pid_t tid = AskTid();
  if (!state_.fifo_lock.HeldBy(tid)) state_.fifo_lock.Lock(tid, kLimitNs);
}

void Controller::RemoveFifos() noexcept {
  if (config_.control.size() == 0) return;
  HoldFifos();
  state_.commands.Remove();
  state_.answers.Remove();
}

void Controller::HandOn(bool exec_follows) noexcept {
  if (config_.control.size() == 0) return;
  if (exec_follows) {
    HoldFifos();
  } else if (state_.fifo_lock.HeldBy(AskTid())) {
    state_.fifo_lock.Unlock();
  }
  // An image whose control thread has not opened the fifos yet hands on what it was given itself.
  const bool serves = state_.serves.load(std::memory_order_acquire);
  if (!serves && (state_.forked || !state_.took_handover)) return;
  if (!exec_follows && !state_.left_handover) return;
  Text<640> path;
  ExpandControlPath(config_.control.view(), start_state_.directory,
                    static_cast<std::uint64_t>(process_.pid()), path);
  if (!exec_follows) DropHandover(path.view());
  const bool commands = serves ? state_.commands.path.size() != 0 : state_.inherits_commands;
  const bool answers = serves ? state_.answers.path.size() != 0 : state_.inherits_answers;
  state_.left_handover =
      exec_follows && LeaveHandover(path.view(), {state_.by_hand, sampling(), commands, answers});
}

ControlStatus Controller::Status() noexcept {
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

int Controller::StartAnew() noexcept {
  const Holding holding(*this);
  if (holding.error() != 0) return holding.error();
  collector_.StartAnew();
  meter_.StartAnew();
  start_state_.monotonic_ns = MonotonicNs();
  start_state_.realtime_ns = RealtimeNs();
  // The times from which the new spool's header counts.
  ProcessCpuNs(&start_state_.user_ns, &start_state_.system_ns, &start_state_.switches);
  return 0;
}

}  // namespace csink::agent

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/control/control.h"
#include "agent/devices/meter.h"
#include "agent/moments/threads.h"
#include "agent/process/process_state.h"
#include "agent/process/start_state.h"
#include "agent/sampling/sampled_events.h"
#include "agent/settings/config.h"
#include "core/sampling/thread_registry.h"
#include "profil/collector/collector.h"
#include "profil/spool/writer.h"

namespace csink::agent {

class ControlFifos;

/// What scripts (CSINK_CONTROL), settings (CSINK_DELAY, _DURATION, _SIGNAL) and the program itself
/// (csink.h) ask for while the program runs: pause, resume, stop, mark, start anew, snapshot.
///
/// The requests answer 0 or an errno. EPERM: another process than the one we started in, a sandbox,
/// or stopped for good; ESHUTDOWN: the program is ending; EBUSY: our own work on this thread was
/// interrupted.
///
/// Owns:    the control thread and the fifos.
/// Threads: requests: any. BeginSampling and StartThread: main, at the start. HandOn: the one that
///          execs or ends. Locks: each request holds the collector's lock with all signals blocked;
///          Snapshot then takes report_lock, after it has given the collector's back.
/// Signals: safe.
class Controller {
 public:
  Controller(const ProcessState& process, ThreadRegistry& registry, SpoolWriter& spool,
             Collector& collector, Meter& meter, SampledEvents& events, Threads& threads,
             const Config& config, StartState& start_state) noexcept
      : process_(process),
        registry_(registry),
        spool_(spool),
        collector_(collector),
        meter_(meter),
        events_(events),
        threads_(threads),
        config_(config),
        start_state_(start_state) {}

  int Pause() noexcept;
  int Resume() noexcept;
  /// As a pause that nothing ends.
  int Stop() noexcept;
  /// EINVAL: no text, or not a text; E2BIG: too long, or too many marks; ENOSPC: no spool.
  int Mark(std::string_view name) noexcept;
  /// Forgets everything sampled so far.
  int StartAnew() noexcept;
  /// Reports what was sampled so far to `file`, "": the usual place with a number. ENODATA: nothing
  /// was sampled yet; ENOENT: no csink program; EIO: it failed. Takes as long as a report.
  int Snapshot(std::string_view file) noexcept;
  ControlStatus Status() noexcept;
  Sampling sampling() const noexcept { return state_.sampling.load(std::memory_order_acquire); }
  ControlState& state() noexcept { return state_; }

  /// Sampling begins paused where the settings or the image before this one say so. Main is armed.
  void BeginSampling() noexcept;
  /// Starts the control thread where some setting needs one, in a forked child, too.
  void StartThread() noexcept;
  /// The body of the control thread.
  void RunThread() noexcept;
  /// Before an exec, and after it failed (or never came): leaves the state to the next image, or
  /// takes it back. Under the collector's lock, which an exec keeps: nothing pauses between this
  /// and the new image.
  void HandOn(bool exec_follows) noexcept;

 private:
  class Holding;

  void RearmAfterRest() noexcept;
  /// What the image before this one left (control_handover.h); kRunning: nothing to keep.
  Sampling TakeOver() noexcept;
  bool NeedsThread() const noexcept;
  void KeepDeadlines() noexcept;
  bool OpenFifos(ControlFifos& fifos) noexcept;
  bool IsLastTask() const noexcept;

  const ProcessState& process_;
  ThreadRegistry& registry_;
  SpoolWriter& spool_;
  Collector& collector_;
  Meter& meter_;
  SampledEvents& events_;
  Threads& threads_;
  const Config& config_;
  StartState& start_state_;
  ControlState state_;
};

}  // namespace csink::agent

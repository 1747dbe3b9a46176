#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/control/control.h"
#include "agent/devices/meter.h"
#include "agent/process/process_state.h"
#include "agent/process/start_state.h"
#include "agent/settings/config.h"
#include "agent/start/sampled_events.h"
#include "agent/threads/threads.h"
#include "agent/waiting/wait_observer.h"
#include "core/sampling/thread_registry.h"
#include "core/util/futex.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

class ControlFifos;

/// What scripts (CSINK_CONTROL), settings (CSINK_DELAY, _DURATION, _SIGNAL) and the program itself
/// (csink.h) request while the program runs: pause, resume, stop, mark, reset, snapshot.
///
/// The requests return 0 or an errno. EPERM: a vfork or clone child, a sandbox, or sampling was
/// stopped for good; ESHUTDOWN: the program is ending; EBUSY: this thread was interrupted inside
/// the agent, or the lock was not free within 5 s. errno itself is left alone.
///
/// Owns:    the control thread and the fifos.
/// Threads: requests: any. BeginSampling and StartThread: main, at the start. HandOn: the thread
///          that execs or ends the process. Locks: each request holds the collector's lock with all
///          signals blocked. Snapshot gives the collector's lock back before it takes report_lock.
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

  /// Samples are discarded from now on, in all threads; a pause longer than 100 ms closes the
  /// events. 0 also if sampling is paused or stopped already.
  int Pause() noexcept { return Pause(Origin::kRequest); }
  /// Sampling goes on. Ends a CSINK_DELAY, and starts CSINK_DURATION if this is the first resume.
  /// EPERM after Stop.
  int Resume() noexcept { return Resume(Origin::kRequest); }
  /// As a pause that nothing ends; the events are closed at once. The report still comes at the
  /// end.
  int Stop() noexcept { return Stop(Origin::kRequest); }
  /// Later samples belong to the phase `name`. EINVAL: empty, or not printable UTF-8; E2BIG: longer
  /// than CurrentPhase::kMaxNameBytes, or too many phases; ENOSPC: no spool, or no room in it.
  int Mark(std::string_view name) noexcept;
  /// Discards everything sampled so far, together with the spool, and counts times from now on.
  /// Pause and phase stay.
  int StartAnew() noexcept;
  /// Writes a report of what was sampled so far to `file`; "": to the place of CSINK_OUTPUT with
  /// the snapshot's number. Returns when the report is written. ENODATA: nothing was sampled yet;
  /// ENOENT: the csink program was not found; EACCES: the process cannot read its spool any more;
  /// EIO: the report failed; E2BIG: the name is too long; EBUSY also if another report took more
  /// than 60 s.
  int Snapshot(std::string_view file) noexcept;
  /// The requests of libcsink-mpi.so; see rank_calls.h (ranks_signal.cpp).
  int BeginRank() noexcept;
  int SettleRank(std::uint32_t rank, char* path, std::size_t bytes, int copy) noexcept;
  int MergeRanks(const int* profiles, std::size_t count, int output) noexcept;
  int DeliverRank() noexcept;
  int ReportRanks() noexcept;
  /// At the end of an image in a tree: has csink copy the sampled files that only this process has
  /// (deleted files, memfds, files of another mount namespace) beside the spool, because the tree
  /// is reported later. Nothing where there are none, which costs 5 us. Not in a sandbox
  /// (kept_modules_signal.cpp).
  void KeepModules() noexcept;
  /// The state of sampling and the numbers for the answer to `status`.
  ControlStatus Status() noexcept;
  /// The state of sampling. Threads: any, without a lock.
  Sampling sampling() const noexcept { return state_.sampling.load(std::memory_order_acquire); }
  /// The signal of CSINK_SIGNAL has come: the control thread makes a snapshot. Signals: safe.
  void RequestSnapshot() noexcept {
    state_.signals.fetch_add(1, std::memory_order_release);
    FutexWake(&state_.signals);
  }
  ControlState& state() noexcept { return state_; }

  /// The observer that the control thread runs where CSINK_WAIT is set. Call before StartThread.
  void set_waits(WaitObserver& waits) noexcept { waits_ = &waits; }
  /// At the start, after main is armed: pauses or stops where the settings or the image before this
  /// one say so.
  void BeginSampling() noexcept;
  /// Computes the deadlines of CSINK_DELAY and CSINK_DURATION, installs the handler of CSINK_SIGNAL
  /// and starts the control thread where a setting needs one. Also in a forked child.
  void StartThread() noexcept;
  /// The body of the control thread.
  void RunThread() noexcept;
  /// `exec_follows`: leaves the state to the next image. Otherwise (an exec failed, or the process
  /// ends) removes what was left. Under the collector's lock, which an exec keeps: no request
  /// changes the state between this call and the new image, and the control thread creates no fifo.
  void HandOn(bool exec_follows) noexcept;
  /// At the end of the program: unlinks the fifos that this process has to remove. The control
  /// thread creates none afterwards. Threads: the one that ends the process. Waits 1 s at most.
  void RemoveFifos() noexcept;

 private:
  class Holding;

  /// Opens the events again that a long pause has closed. Under the collector's lock.
  void RearmAfterRest() noexcept;
  /// Reads what the image before this one left (control_handover.h). Returns the state to continue;
  /// kRunning: nothing to continue.
  Sampling TakeOver() noexcept;
  /// True if a deadline, a fifo, a snapshot signal or the observer needs the control thread.
  bool NeedsThread() const noexcept;
  /// A change by a setting is not handed to the next image, which reads the setting itself.
  enum class Origin : unsigned char { kRequest, kSetting };
  int Pause(Origin origin) noexcept;
  int Resume(Origin origin) noexcept;
  int Stop(Origin origin) noexcept;
  /// Resumes or stops if a deadline has passed.
  void KeepDeadlines() noexcept;
  /// Opens the fifos of CSINK_CONTROL, on the control thread. Prints a line if that fails. Returns
  /// true if this process serves them.
  bool OpenFifos(ControlFifos& fifos) noexcept;
  /// Takes fifo_lock for an exec or the end of the process, if it is free within 1 s.
  void HoldFifos() noexcept;
  /// Takes fifo_lock on the control thread. False: the process has ended meanwhile.
  bool LockFifos() noexcept;
  /// A moment of the observer, if it is due. Returns the time until the next one, in ns.
  std::uint64_t Observe() noexcept;
  /// True if the control thread must end, because only the agent's threads are left.
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
  WaitObserver* waits_ = nullptr;
  ControlState state_;
};

}  // namespace csink::agent

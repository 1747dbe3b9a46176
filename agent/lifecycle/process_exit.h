#pragma once

#include <cstdint>

#include "agent/control/controller.h"
#include "agent/devices/meter.h"
#include "agent/drain/drainer.h"
#include "agent/lifecycle/last_drain.h"
#include "agent/process/process_state.h"
#include "agent/process/selection.h"
#include "agent/process/start_state.h"
#include "agent/settings/config.h"
#include "agent/start/sampled_events.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// With fewer samples than this a report without a request is not made: it costs 30 to 60 ms,
/// and at the default clock of 1 kHz 60 samples are 60 ms of CPU time.
inline constexpr std::uint64_t kWorthAReport = 60;

/// The end of the process: the last drain, and what is left behind.
///
/// Finish may be called by the library's destructor, _exit, abort, quick_exit's handler or the
/// handler of a fatal signal, and by several threads at the same time. One thread claims the end;
/// the others wait. The claimant drains all rings under the collector's lock and then leaves one of
/// four things: a record in the tree's file, a spool for csink run, a report, or nothing. In a
/// sandbox it completes the spool that exists and starts no report.
///
/// Owns:    nothing; the claim is part of ProcessState.
/// Threads: any. Locks: the collector's for the drain, given back before the report; then the
///          report's. Waits for both with a limit and goes on without them.
/// Signals: safe where a signal's default action is about to end the program.
class ProcessExit {
 public:
  ProcessExit(ProcessState& process, const Config& config, StartState& start_state,
              SpoolWriter& spool, Collector& collector, Meter& meter, const SampledEvents& events,
              Drainer& drainer, Controller& control, const Selection& selection,
              LastDrain& last_drain) noexcept
      : process_(process),
        config_(config),
        start_state_(start_state),
        spool_(spool),
        collector_(collector),
        meter_(meter),
        events_(events),
        drainer_(drainer),
        control_(control),
        selection_(selection),
        last_drain_(last_drain) {}

  /// Drains everything, completes the spool and leaves what the settings ask for. The first caller
  /// does this; other callers wait until it is done, 30 s at most. `detail`: the exit status or the
  /// signal's number, by `end`. Does nothing in a process that was never activated, or in a vfork
  /// child. ProcessState::active is false afterwards.
  void Finish(spool::End end, int detail) noexcept;

 private:
  /// Waits for the thread that has claimed the end.
  void WaitForClaimant() noexcept;
  /// The last drain and the spool's accounts, under the collector's lock.
  void Settle(spool::End end, int detail) noexcept;
  /// Decides by `significance` (Accounts::Significance) what becomes of the spool: it is removed,
  /// left, or reported. Without the collector's lock.
  void LeaveResult(std::uint64_t significance, pid_t tid) noexcept;
  /// False if the program would pay more for the report than for itself: fewer than kWorthAReport
  /// samples, no setting that concerns the report (output, format, events, a number of samples,
  /// ...) and no earlier image of the process.
  bool IsWorthAReport(std::uint64_t significance) const noexcept;
  /// Prints one line in the place of that report: its numbers, and how to get a report.
  void SayThatAReportCostsMore() noexcept;
  /// Runs csink on the spool, and prints a line where that is not possible.
  void Report(std::uint64_t significance, pid_t tid) noexcept;
  /// Prints one line: `why` there is no report, and how to make it from the spool.
  void SayWhereTheSpoolIs(const char* why) noexcept;
  /// Prints one line if many children may have written reports of their own to stderr, which cost
  /// more than the one report of csink run.
  void AdviseOneReport() noexcept;
  /// BurnedForNothing, for a process that samples something and may make system calls.
  bool Burned(std::uint64_t& user_ns) const noexcept;
  /// Prints NothingSampledLine if no report or csink run will say so. Returns true if it did.
  bool SayThatNothingWasSampled() noexcept;
  /// On a terminal, prints one line in the place of a report with too few samples: a person who
  /// tries the agent on a short program would see nothing at all. Silent for the children of a
  /// profiled program, and where reports go to files.
  void SayThatItWasTooShort(std::uint64_t significance) noexcept;

  ProcessState& process_;
  const Config& config_;
  StartState& start_state_;
  SpoolWriter& spool_;
  Collector& collector_;
  Meter& meter_;
  const SampledEvents& events_;
  Drainer& drainer_;
  Controller& control_;
  const Selection& selection_;
  LastDrain& last_drain_;
};

}  // namespace csink::agent

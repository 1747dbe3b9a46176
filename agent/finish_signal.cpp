#include <time.h>

#include "agent/agent.h"
#include "agent/reporter/reporter.h"
#include "agent/signals/signal_view.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

/// File: exec and the end of the process: the last drain, and what is left behind.
///
/// Finish may be called by the library's destructor, _exit, abort, quick_exit's handler or the
/// handler of a fatal signal, and by several threads at the same time. One thread claims the end;
/// the others wait. The claimant drains all rings under the collector's lock and then leaves one of
/// four things: a record in the tree's file, a spool for csink run, a report, or nothing. In a
/// sandbox it completes the spool that exists and starts no report.

namespace csink::agent {
namespace {

// How long exec and the end of the process wait for the collector's lock, 2 s. A holder that does
// not return must not keep the program from ending.
constexpr std::uint64_t kFinishLockNs = 2'000'000'000;
// How long the report at the end waits for a snapshot that is being written.
constexpr std::uint64_t kSnapshotWaitNs = 20'000'000'000;
// Slices of 10 ms that another thread waits for the claimant: 30 s together, longer than both
// limits above.
constexpr int kFinishWaitSlices = 3000;  // of 10 ms
// CPU time in ns. A process that had used more before the agent started is taken for a later image
// of a process that has executed other programs before.
constexpr std::uint64_t kEarlierImageNs = 5'000'000;

}  // namespace

// A spool is made where csink run expects one: the record of a small process has no place for
// device counters.
void Agent::EndMeter() noexcept {
  if (!meter_.running()) return;
  if (!sandboxed()) meter_.Command(MeterCommand::kEnd);
  if (config_.tree != 0 && !sandboxed()) collector_.EnsureSpool();
  meter_.CopyTo(spool_);
}

void Agent::StopTicks(std::string_view why) noexcept {
  // ForbidTimers returns true once: the timers of all threads are taken away by the first caller.
  if (!active() || sandboxed() || !IsOurProcess() || !events_.ForbidTimers()) return;
  const SignalsBlocked quiet;
  drainer_.StopTimer();
  events_.TakeTimersAway(why);
}

void Agent::BeforeExec() noexcept {
  // The new image inherits the signal mask of the kernel. Until here the drain signal was unblocked
  // there, although the program may have blocked it. Done in vfork children, too, since they exec.
  ShowMaskToKernel(true);
  if (!active() || sandboxed()) return;
  if (!IsOurProcess()) {
    made_child_ = true;  // a vfork child, in our memory
    return;
  }
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  // The lock is held by this thread when a handler of the program interrupted a drain and calls
  // exec. The spool then keeps the state of the last drain.
  if (collector_.lock().HeldBy(tid) || !collector_.lock().Lock(tid, kFinishLockNs)) return;
  control_.HandOn(true);
  collector_.set_ending(config_.tree != 0);
  collector_.DrainAll();
  EndMeter();
  const bool wanted = IsWantedAtEnd();
  if (wanted && (meter_.running() || !LeaveSmallRecord(spool::End::kExec, 0))) {
    collector_.SettleAll();
  }
  if (spool_.open()) spool_.SetState(spool::State::kComplete, spool::End::kExec);
  // Held over the exec: a sweep of the agent thread would say that we live on.
  exec_lock_held_ = true;
}

void Agent::ExecFailed() noexcept {
  ShowMaskToKernel(false);
  if (!IsOurProcess() || !exec_lock_held_ || !collector_.lock().HeldBy(AskTid())) return;
  exec_lock_held_ = false;
  collector_.set_ending(false);
  control_.HandOn(false);
  if (spool_.open()) spool_.SetState(spool::State::kLive, spool::End::kUnknown);
  collector_.lock().Unlock();
}

void Agent::Finish(spool::End end, int detail) noexcept {
  if (!process_.was_activated() || !IsOurProcess()) return;
  const pid_t tid = process_.Tid();
  if (const pid_t claimant = process_.ClaimEnd(tid); claimant != 0) {
    if (claimant == tid) return;  // a signal during our own finish: let it have its way
    const timespec slice = {0, 10'000'000};
    for (int i = 0; i < kFinishWaitSlices && active(); ++i) {
      RawSyscall(SYS_nanosleep, SyscallArg(&slice), 0);
    }
    return;
  }
  if (!active()) return;
  unsigned long mask = 0;
  if (!sandboxed()) mask = SignalsBlocked::Block();
  // `alone` is false if this thread was interrupted while it drained, or if the lock was not given
  // back in time. The samples since the last drain are then missing, but the spool is still ended.
  const bool alone = !collector_.lock().HeldBy(tid) && collector_.lock().Lock(tid, kFinishLockNs);
  if (alone) {
    if (!sandboxed()) drainer_.StopTimer();
    collector_.set_ending(config_.tree != 0);
    collector_.DrainAll();
    EndMeter();
    if (IsWantedAtEnd() && (meter_.running() || !LeaveSmallRecord(end, detail))) {
      // In a tree a process that used CPU time without a sample leaves an empty spool, so that
      // csink run can say so.
      if (std::uint64_t user_ns = 0; config_.tree != 0 && BurnedForNothing(user_ns)) {
        collector_.EnsureSpool();
      }
      collector_.SettleAll();
    }
    // An earlier image of this process may have left a profile, and only the last image makes the
    // report. A spool is made even without samples, because the report is made from spools.
    const bool earlier = start_state_.user_ns + start_state_.system_ns > kEarlierImageNs;
    if (earlier && config_.tree == 0 && !sandboxed()) collector_.EnsureSpool();
    meter_.CopyTo(spool_);
  }
  // Read under the lock and kept: the agent thread may drain once more after the unlock.
  const std::uint64_t significance = collector_.accounts().Significance();
  collector_.MarkEnd(end, detail);
  if (alone) collector_.lock().Unlock();
  if (!sandboxed()) SignalsBlocked::Restore(mask);

  // With enough samples the report itself explains what is missing.
  if (significance < config_.min_samples) SayThatNothingWasSampled();
  if (spool_.open() && !sandboxed() && !IsWantedAtEnd()) {
    spool_.Remove();
  } else if (!spool_.open() || config_.tree != 0) {
    // Nothing to say, or csink run will say it.
  } else if (significance < config_.min_samples && spool_.header().exec_generation == 0) {
    if (!config_.keep && !sandboxed()) spool_.Remove();
  } else if (!config_.report) {
    // Left for whoever asked for it.
  } else if (sandboxed()) {
    SayWhereTheSpoolIs("the program is in a seccomp sandbox");
  } else {
    // A report that hangs (a full disk, a stopped csink) must not keep the program from ending, so
    // the lock is not waited for without a limit.
    const bool mine =
        control_.state().report_lock.Lock(tid, kSnapshotWaitNs);  // else it hangs: go on
    // This image decides by its own samples. If they are too few, earlier images of the process may
    // still have enough; csink counts the samples of all images and prints nothing below this
    // number.
    const std::uint64_t least = significance < config_.min_samples ? config_.min_samples : 0;
    switch (RunReporter(config_, start_state_, spool_.path(), least, OutputName::kDistinguished)) {
      case ReportOutcome::kWritten:
        break;
      case ReportOutcome::kNoReporter:
        SayWhereTheSpoolIs("the csink program was not found (CSINK_REPORTER)");
        break;
      case ReportOutcome::kOutOfReach:
        SayWhereTheSpoolIs("the program changed its user and can no longer read its profile");
        break;
      case ReportOutcome::kFailed:
        SayWhereTheSpoolIs("the report could not be written");
        break;
    }
    if (mine) control_.state().report_lock.Unlock();
  }
  if (!sandboxed()) {
    control_.HandOn(false);
    control_.state().RemoveFifos();
  }
  // From here on active() is false: the waiting threads and the agent thread return.
  process_.Finish();
  drainer_.WakeForEnd();
}

void Agent::SayWhereTheSpoolIs(const char* why) noexcept {
  Text<900> line;
  line.Add(why).Add(": show the report with csink report ").Add(spool_.path());
  RawLog(LogLevel::kWarn, line.view());
}

}  // namespace csink::agent

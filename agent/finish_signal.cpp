#include <time.h>

#include "agent/agent.h"
#include "agent/reporter/reporter.h"
#include "agent/signals/signal_view.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

/// File: exec and the end of the process: the last drain, and what is left behind.

namespace csink::agent {
namespace {

constexpr std::uint64_t kFinishLockNs = 2'000'000'000;
constexpr std::uint64_t kSnapshotWaitNs = 20'000'000'000;
constexpr int kFinishWaitSlices = 3000;  // of 10 ms
// A process that had used this before we started in it is an image after others.
constexpr std::uint64_t kEarlierImageNs = 5'000'000;

}  // namespace

// What devices counted has no place in the record of a small process.
void Agent::EndMeter() noexcept {
  if (!meter_.running()) return;
  if (!sandboxed()) meter_.Command(MeterCommand::kEnd);
  if (config_.tree != 0 && !sandboxed()) collector_.EnsureSpool();
  meter_.CopyTo(spool_);
}

void Agent::StopTicks(std::string_view why) noexcept {
  if (!active() || sandboxed() || !IsOurProcess() || !events_.ForbidTimers()) return;
  const SignalsBlocked quiet;
  drainer_.StopTimer();
  events_.TakeTimersAway(why);
}

void Agent::BeforeExec(bool returns_to_us) noexcept {
  ShowMaskToKernel(true);
  if (!active() || sandboxed()) return;
  if (!IsOurProcess()) {
    made_child_ = true;  // a vfork child, in our memory
    return;
  }
  const pid_t tid = AskTid();
  const SignalsBlocked quiet;
  if (collector_.lock().HeldBy(tid) || !collector_.lock().Lock(tid, kFinishLockNs)) return;
  control_.HandOn(true);
  collector_.set_ending(config_.tree != 0);
  collector_.DrainAll();
  EndMeter();
  const bool wanted = IsWantedAtEnd();
  if (wanted && (meter_.running() || !LeaveSmallRecord(spool::End::kExec, 0))) {
    collector_.SettleAll();
  }
  if (!wanted && !returns_to_us && spool_.open()) spool_.Remove();
  if (spool_.open()) spool_.SetState(spool::State::kComplete, spool::End::kExec);
  // Held over the exec: a sweep of the agent thread would say that we live on.
  if (returns_to_us) {
    exec_lock_held_ = true;
  } else {
    collector_.lock().Unlock();
  }
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
  const bool alone = !collector_.lock().HeldBy(tid) && collector_.lock().Lock(tid, kFinishLockNs);
  if (alone) {
    if (!sandboxed()) drainer_.StopTimer();
    collector_.set_ending(config_.tree != 0);
    collector_.DrainAll();
    EndMeter();
    if (IsWantedAtEnd() && (meter_.running() || !LeaveSmallRecord(end, detail))) {
      // csink run is to know of CPU time without a sample, too.
      if (std::uint64_t user_ns = 0; config_.tree != 0 && BurnedForNothing(user_ns)) {
        collector_.EnsureSpool();
      }
      collector_.SettleAll();
    }
    // An earlier image may have left its profile to us, though we have nothing to add.
    const bool earlier = start_state_.user_ns + start_state_.system_ns > kEarlierImageNs;
    if (earlier && config_.tree == 0 && !sandboxed()) collector_.EnsureSpool();
    meter_.CopyTo(spool_);
  }
  const std::uint64_t significance = collector_.accounts().Significance();
  collector_.EndIsTold(end, detail);
  if (alone) collector_.lock().Unlock();
  if (!sandboxed()) SignalsBlocked::Restore(mask);

  // A report says by itself why it has no samples.
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
    const bool mine =
        control_.state().report_lock.Lock(tid, kSnapshotWaitNs);  // else it hangs: go on
    // Whether this image is worth a report was decided here; whether all images of the
    // process together are, csink sees.
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
  process_.Finish();
  drainer_.WakeForEnd();
}

void Agent::SayWhereTheSpoolIs(const char* why) noexcept {
  Text<900> line;
  line.Add(why).Add(": show the report with csink report ").Add(spool_.path());
  RawLog(LogLevel::kWarn, line.view());
}

}  // namespace csink::agent

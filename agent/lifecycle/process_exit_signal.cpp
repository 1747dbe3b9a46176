#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "agent/lifecycle/process_exit.h"
#include "agent/process/ancestors.h"
#include "agent/results/nothing_sampled.h"
#include "agent/results/reporter.h"
#include "core/machine/clocks.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"

/// File: the end in its order: claim, last drain under the collector's lock, result without that
/// lock, inactive. The report runs another program and may take seconds: a thread that drains or a
/// handler that ends meanwhile must not wait for it with the lock held.

namespace csink::agent {
namespace {

// How long the report at the end waits for a snapshot that is being written.
constexpr std::uint64_t kSnapshotWaitNs = 20'000'000'000;
// Slices of 10 ms that another thread waits for the claimant: 30 s together, longer than
// kSnapshotWaitNs and LastDrain::kLockNs together.
constexpr int kFinishWaitSlices = 3000;
// From so many children and so much CPU time of theirs on, one report of all is advised: a build.
constexpr unsigned kManyChildren = 8;
constexpr long kLongChildrenSeconds = 2;
// CPU time in ns. A process that had used more before the agent started is taken for a later image
// of a process that has executed other programs before.
constexpr std::uint64_t kEarlierImageNs = 5'000'000;

constexpr std::uint64_t Bit(Setting setting) noexcept {
  return std::uint64_t{1} << static_cast<unsigned>(setting);
}

// Settings that say nothing about the report: where files lie, which processes, what is logged,
// what other programs read. Sites set them for all programs.
constexpr std::uint64_t kNotOfTheReport =
    Bit(Setting::kReporter) | Bit(Setting::kSpoolDir) | Bit(Setting::kSpoolLimit) |
    Bit(Setting::kFollow) | Bit(Setting::kInclude) | Bit(Setting::kExclude) | Bit(Setting::kLog) |
    Bit(Setting::kVerbose) | Bit(Setting::kAgent) | Bit(Setting::kCache) |
    Bit(Setting::kCacheSize) | Bit(Setting::kEventMacros);

bool IsTerminal(int fd) noexcept {
  alignas(8) unsigned char state[64] = {};  // struct termios of the kernel has 36 bytes
  return RawSyscall(SYS_ioctl, fd, TCGETS, SyscallArg(&state)) == 0;
}

}  // namespace

void ProcessExit::Finish(spool::End end, int detail) noexcept {
  if (!process_.was_activated() || !process_.IsOurProcess()) return;
  const pid_t tid = process_.Tid();
  if (const pid_t claimant = process_.ClaimEnd(tid); claimant != 0) {
    // A signal during our own finish: its default action follows.
    if (claimant != tid) WaitForClaimant();
    return;
  }
  if (!process_.active()) return;
  unsigned long mask = 0;
  if (!process_.sandboxed()) mask = SignalsBlocked::Block();
  // `alone` is false if this thread was interrupted while it drained, or if the lock was not given
  // back in time. The samples since the last drain are then missing, but the spool is still ended.
  const bool alone =
      !collector_.lock().HeldBy(tid) && collector_.lock().Lock(tid, LastDrain::kLockNs);
  if (alone) Settle(end, detail);
  // Read under the lock and kept: the agent thread may drain once more after the unlock.
  const std::uint64_t significance = collector_.accounts().Significance();
  collector_.MarkEnd(end, detail);
  if (alone) collector_.lock().Unlock();
  if (!process_.sandboxed()) SignalsBlocked::Restore(mask);

  LeaveResult(significance, tid);
  AdviseOneReport();
  if (!process_.sandboxed()) {
    control_.HandOn(false);
    control_.RemoveFifos();
  }
  // From here on active() is false: the waiting threads and the agent thread return.
  process_.Finish();
  drainer_.WakeForEnd();
}

void ProcessExit::WaitForClaimant() noexcept {
  const timespec slice = {0, 10'000'000};
  for (int i = 0; i < kFinishWaitSlices && process_.active(); ++i) {
    RawSyscall(SYS_nanosleep, SyscallArg(&slice), 0);
  }
}

void ProcessExit::Settle(spool::End end, int detail) noexcept {
  collector_.accounts().BeginOwnWork();
  if (!process_.sandboxed()) drainer_.StopTimer();
  if (last_drain_.Run(end, detail)) {
    // In a tree a process that used CPU time without a sample leaves an empty spool, so that csink
    // run can say so.
    if (std::uint64_t user_ns = 0; config_.tree != 0 && Burned(user_ns)) collector_.EnsureSpool();
    collector_.SettleAll();
  }
  // An earlier image of this process may have left a profile, and only the last image makes the
  // report. A spool is made even without samples, because the report is made from spools.
  const bool earlier = start_state_.user_ns + start_state_.system_ns > kEarlierImageNs;
  if (earlier && config_.tree == 0 && !process_.sandboxed()) collector_.EnsureSpool();
  meter_.CopyTo(spool_);
  collector_.accounts().EndOwnWork();
}

void ProcessExit::LeaveResult(std::uint64_t significance, pid_t tid) noexcept {
  // A rank of a job that has one report (agent/mpi).
  const RankState rank = control_.state().rank;
  if (rank != RankState::kNone) {
    if (rank == RankState::kDelivered && spool_.open() && !config_.keep && !process_.sandboxed()) {
      spool_.Remove();
    }
    return;
  }
  // With enough samples the report itself explains what is missing.
  const bool few = significance < config_.min_samples;
  if (few && !SayThatNothingWasSampled()) SayThatItWasTooShort(significance);
  if (spool_.open() && !process_.sandboxed() && !selection_.AtEnd()) {
    spool_.Remove();
  } else if (!spool_.open() || config_.tree != 0) {
    // There is no spool to report on, or csink run reports on it.
    control_.KeepModules();
  } else if (few && spool_.header().exec_generation == 0) {
    if (!config_.keep && !process_.sandboxed()) spool_.Remove();
  } else if (!config_.report) {
    // CSINK_REPORT=0: the spool is kept for a later csink report.
  } else if (process_.sandboxed()) {
    SayWhereTheSpoolIs("the program is in a seccomp sandbox");
  } else if (!IsWorthAReport(significance)) {
    SayThatAReportCostsMore();
    spool_.Remove();
  } else {
    Report(significance, tid);
  }
}

void ProcessExit::Report(std::uint64_t significance, pid_t tid) noexcept {
  // A report that hangs (a full disk, a stopped csink) must not keep the program from ending, so
  // the lock is not waited for without a limit.
  FutexLock& lock = control_.state().report_lock;
  const bool mine = lock.Lock(tid, kSnapshotWaitNs);  // else it hangs: go on
  // This image decides by its own samples. If they are too few, earlier images of the process may
  // still have enough; csink counts the samples of all images and prints nothing below this number.
  const std::uint64_t least = significance < config_.min_samples ? config_.min_samples : 0;
  switch (RunReporter(config_, start_state_, spool_.path(), least, OutputName::kDistinguished)) {
    case ReportOutcome::kWritten:
      break;
    case ReportOutcome::kNoReporter:
      SayWhereTheSpoolIs("the csink program was not found (CSINK_REPORTER)");
      break;
    case ReportOutcome::kOutOfReach:
      SayWhereTheSpoolIs(WhyOutOfReach(spool_.path(), spool_.header().uid));
      break;
    case ReportOutcome::kFailed:
      SayWhereTheSpoolIs("the report could not be written");
      break;
    case ReportOutcome::kNoMemory:
      SayWhereTheSpoolIs("the report could not be written in the program's memory (ulimit -v)");
      break;
  }
  if (mine) lock.Unlock();
}

void ProcessExit::SayWhereTheSpoolIs(const char* why) noexcept {
  Text<900> line;
  line.Add(why).Add(": show the report with csink report ").Add(spool_.path());
  RawLog(LogLevel::kWarn, line.view());
}

// Earlier images of the process may have samples enough, so their report is always made.
bool ProcessExit::IsWorthAReport(std::uint64_t significance) const noexcept {
  return significance >= kWorthAReport || (config_.given & ~kNotOfTheReport) != 0 ||
         spool_.header().exec_generation != 0;
}

void ProcessExit::SayThatAReportCostsMore() noexcept {
  const spool::Header& header = spool_.header();
  const std::uint64_t start_ns = header.start_user_ns + header.start_system_ns;
  const std::uint64_t end_ns = header.user_ns + header.system_ns;
  Text<256> line;
  line.Number(collector_.accounts().samples()).Add(" samples in ");
  line.Fixed(end_ns > start_ns ? end_ns - start_ns : 0, 1'000'000'000, 2);
  line.Add(" s of CPU time: a report would take 30 to 60 ms; csink run writes one report of all ");
  line.Add("processes, and CSINK_MIN_SAMPLES=").Number(config_.min_samples);
  RawLog(LogLevel::kWarn, line.Add(" one of each").view());
}

void ProcessExit::AdviseOneReport() noexcept {
  // Where the reports go to files, stderr is the program's alone. Below the first process of a tree
  // the line would come once for each process.
  if (!config_.report || config_.tree != 0 || config_.output_path.size() != 0 ||
      config_.follow < Follow::kExec || process_.sandboxed() ||
      selection_.children() < kManyChildren) {
    return;
  }
  struct rusage children = {};
  RawSyscall(SYS_getrusage, RUSAGE_CHILDREN, SyscallArg(&children));
  if (children.ru_utime.tv_sec + children.ru_stime.tv_sec < kLongChildrenSeconds) return;
  if (CountAncestors(start_state_.parent_pid) != 0) return;
  Text<200> line;
  line.Add("the child processes of this program write reports of their own, at 30 to 60 ms each: ");
  line.Add("csink run writes one report of all");
  RawLog(LogLevel::kWarn, line.view());
}

bool ProcessExit::Burned(std::uint64_t& user_ns) const noexcept {
  return !process_.sandboxed() && events_.list().count != 0 &&
         BurnedForNothing(collector_, start_state_, config_.min_samples, user_ns);
}

bool ProcessExit::SayThatNothingWasSampled() noexcept {
  std::uint64_t user_ns = 0;
  if (!config_.report || config_.tree != 0 || !selection_.AtEnd()) return false;
  if (control_.sampling() != Sampling::kRunning || !Burned(user_ns)) return false;
  RawLog(LogLevel::kWarn, NothingSampledLine(events_.list(), user_ns).view());
  return true;
}

void ProcessExit::SayThatItWasTooShort(std::uint64_t significance) noexcept {
  if (!config_.report || config_.keep || config_.tree != 0 || !selection_.AtEnd() ||
      process_.sandboxed() || config_.output_path.size() != 0 ||
      control_.sampling() != Sampling::kRunning ||
      (spool_.open() && spool_.header().exec_generation != 0) || !IsTerminal(STDERR_FILENO) ||
      CountAncestors(start_state_.parent_pid) != 0) {
    return;
  }
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  ProcessCpuNs(&user_ns, &system_ns);
  const std::uint64_t before_ns = start_state_.user_ns + start_state_.system_ns;
  const std::uint64_t cpu_ns = user_ns + system_ns;
  Text<256> line;
  line.Add("too short: ")
      .Number(significance)
      .Add(significance == 1 ? " sample in " : " samples in ");
  line.Fixed(cpu_ns > before_ns ? cpu_ns - before_ns : 0, 1'000'000, 1)
      .Add(" ms of CPU time, and a ");
  line.Add("report needs ").Number(config_.min_samples);
  if ((config_.given & Bit(Setting::kEvents)) == 0) {
    line.Add("; CSINK_EVENTS=task-clock@10kHz takes more");
  } else {
    line.Add(" (CSINK_MIN_SAMPLES)");
  }
  RawLog(LogLevel::kWarn, line.view());
}

}  // namespace csink::agent

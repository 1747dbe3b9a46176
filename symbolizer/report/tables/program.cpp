#include <signal.h>

#include <algorithm>
#include <cstring>

#include "symbolizer/report/tables/parts.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// How a process ended, in words. The signal's number is shown even where it has no name.
std::string EndText(const ProcessRow& process) {
  if (process.state == ProcessState::kLive) return "running";
  if (process.state == ProcessState::kUnknown) return "unknown";
  switch (process.end) {
    case spool::End::kExit:
    case spool::End::kQuickExit:
      return "exit " + std::to_string(process.end_detail);
    case spool::End::kAbort:
      return "abort";
    case spool::End::kSignal: {
      // Signals end at 64 (SIGRTMAX), but a damaged file may have any number.
      const char* name =
          process.end_detail < 65 ? sigabbrev_np(static_cast<int>(process.end_detail)) : nullptr;
      return "signal " + std::to_string(process.end_detail) +
             (name ? std::string(" (SIG") + name + ")" : "");
    }
    case spool::End::kExec:
      return "exec";
    case spool::End::kUnknown:
      break;
  }
  return "unknown";
}

/// The state of both: one live process makes the report a snapshot, whatever happened to others,
/// and one process whose last samples are missing makes it incomplete.
ProcessState Worse(ProcessState a, ProcessState b) {
  for (const ProcessState state : {ProcessState::kLive, ProcessState::kKilled,
                                   ProcessState::kUnknown, ProcessState::kExited}) {
    if (a == state || b == state) return state;
  }
  return ProcessState::kComplete;
}

/// Whether both rows are images of the same process: execve(2) keeps the pid and the start time.
/// Two processes of a host may have had the same pid one after the other.
bool AreOneProcess(const ProcessRow& a, const ProcessRow& b) {
  return a.pid == b.pid && a.start_ticks == b.start_ticks && a.host == b.host;
}

/// The first process to start is "the program". Rows are sorted by start time, so the last match is
/// its last image, which says how it ended.
const ProcessRow& LastImageOfFirst(const Profile& profile) {
  const ProcessRow* last = &profile.processes.front();
  for (const ProcessRow& process : profile.processes) {
    if (AreOneProcess(process, *last)) last = &process;
  }
  return *last;
}

/// A process tree is named after the command of its first image: otherwise a shell that executes
/// the last command of its script would be named after that command. A single process is named
/// after the command of its last image: earlier images, such as env and nice, only prepare it.
std::string CommandOf(const Profile& profile) {
  const ProcessRow& first = profile.processes.front();
  const bool is_tree =
      std::any_of(profile.processes.begin(), profile.processes.end(),
                  [&](const ProcessRow& process) { return !AreOneProcess(process, first); });
  const ProcessRow& named = is_tree ? first : LastImageOfFirst(profile);
  return named.command.empty() ? named.program : named.command;
}

}  // namespace

void DescribeProgram(Report& report) {
  const Profile& profile = report.profile;
  constexpr std::uint64_t kNone = ~0ull;
  std::uint64_t start = kNone;
  std::uint64_t first_image = kNone;
  std::uint64_t end = 0;
  // The images of a tree may have used different sources: perf_event may be refused for one of
  // them.
  bool ring = false;
  bool timer = false;
  for (const ProcessRow& process : profile.processes) {
    // An image that had ended before the interval has no time in it.
    if (process.since_monotonic_ns == 0 ||
        process.since_monotonic_ns < process.update_monotonic_ns) {
      start = std::min(start, process.BeginMonotonicNs());
      end = std::max(end, process.update_monotonic_ns);
    }
    if (process.image_realtime_ns != 0) {
      first_image = std::min(first_image, process.image_realtime_ns);
    }
    ring = ring || process.source == spool::Source::kRing;
    timer = timer || process.source == spool::Source::kTimer;
    report.state = Worse(report.state, process.state);
  }
  report.source = ring && timer ? "ring and timer" : ring ? "ring" : timer ? "timer" : "unknown";
  // From the begin of the first image to the last drain of any; what csink run measured replaces
  // it.
  if (end > start) report.wall_seconds = Seconds(end - start);
  if (first_image != kNone) report.start_time = Seconds(first_image);
  report.system_sampled = SystemIsSampled(profile);
  if (!profile.processes.empty()) {
    const ProcessRow& last = LastImageOfFirst(profile);
    report.command = CommandOf(profile);
    report.pid = last.pid;
    report.namespace_pid = last.namespace_pid;
    report.host = last.host;
    report.end = EndText(last);
    report.source_reason = last.source_reason;
  }
  report.user_seconds = report.verdict.ledger.user_seconds;
  report.system_seconds = report.verdict.ledger.system_seconds;
  if (profile.tree.known) {
    report.command = profile.tree.command;
    report.wall_seconds = Seconds(profile.tree.wall_ns);
  }
}

}  // namespace csink::report

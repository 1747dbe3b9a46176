#include "symbolizer/report/program.h"

#include <signal.h>

#include <algorithm>
#include <cstring>

#include "symbolizer/report/numbers.h"

namespace csink::report {
namespace {

std::string EndText(const ProcessRow& process) {
  if (process.state == ProcessState::kLive) return "running";
  if (process.state == ProcessState::kKilled) return "killed";
  switch (process.end) {
    case spool::End::kExit:
    case spool::End::kQuickExit:
      return "exit " + std::to_string(process.end_detail);
    case spool::End::kAbort:
      return "abort";
    case spool::End::kSignal: {
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

/// The process that a reader takes for "the program": the first to start; of its
/// generations the last.
const ProcessRow* MainProcess(const Profile& profile) {
  const ProcessRow* main = nullptr;
  for (const ProcessRow& process : profile.processes) {
    if (!main || (process.pid == main->pid && process.start_ticks == main->start_ticks &&
                  process.host == main->host)) {
      main = &process;
    }
  }
  return main;
}

}  // namespace

void DescribeProgram(Report& report) {
  const Profile& profile = report.profile;
  std::uint64_t start = ~0ull;
  std::uint64_t end = 0;
  bool ring = false;
  bool timer = false;
  for (const ProcessRow& process : profile.processes) {
    // An image of an interval that had ended before it has no time in it.
    if (process.since_monotonic_ns == 0 ||
        process.since_monotonic_ns < process.update_monotonic_ns) {
      start = std::min(start, process.BeginMonotonicNs());
      end = std::max(end, process.update_monotonic_ns);
    }
    ring = ring || process.source == spool::Source::kRing;
    timer = timer || process.source == spool::Source::kTimer;
    if (process.state == ProcessState::kLive) {
      report.state = ProcessState::kLive;
    } else if (process.state == ProcessState::kKilled && report.state != ProcessState::kLive) {
      report.state = ProcessState::kKilled;
    }
  }
  report.source = ring && timer ? "ring and timer" : ring ? "ring" : timer ? "timer" : "unknown";
  if (end > start) report.wall_seconds = Seconds(end - start);
  const CpuSeconds cpu = TotalCpu(profile);
  report.user_seconds = cpu.user;
  report.system_seconds = cpu.system;
  report.system_sampled = SystemIsSampled(profile);
  if (const ProcessRow* main = MainProcess(profile)) {
    report.command = main->command.empty() ? main->program : main->command;
    report.pid = main->pid;
    report.host = main->host;
    report.end = EndText(*main);
    report.source_reason = main->source_reason;
  }
  if (profile.tree.known) {
    report.command = profile.tree.command;
    report.wall_seconds = Seconds(profile.tree.wall_ns);
    report.user_seconds = Seconds(profile.tree.user_ns);
    report.system_seconds = Seconds(profile.tree.system_ns);
  }
}

}  // namespace csink::report

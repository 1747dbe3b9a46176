#include "agent/attach/choose.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "agent/attach/thread_events.h"
#include "agent/process/start_state.h"
#include "core/sampling/precision.h"
#include "core/sampling/rate_limit.h"
#include "core/util/copy_text.h"
#include "core/util/parse.h"
#include "core/util/text_file.h"

/// File: see the header. Each refusal makes the list smaller, so that the trials end.

namespace csink::attach {
namespace {

EventSpec Clock() {
  EventComplaint complaint;
  const Result<EventList> list = ParseEventList("task-clock", complaint);
  return list ? list->events[0] : EventSpec();
}

// Tries the list on the first thread of the process that lives.
Result<void> Try(Kernel& kernel, Choice& choice, const std::string& folder,
                 const std::vector<int>& cpus, std::size_t& failed) {
  Result<void> tried = Error{Errc::kNotFound, ESRCH, "the process has ended"};
  for (const pid_t tid : ThreadsOf(folder)) {
    ThreadEvents::Options options;
    options.on_exec = true;  // Nothing is to be recorded
    options.ring_bytes = PageBytes();
    ThreadEvents events(kernel, choice.list, cpus, options);
    tried = events.Attach(tid);
    failed = events.failed_event();
    for (std::size_t i = 0; tried && i < choice.list.count; ++i) {
      choice.precise[i] = events.precise(i);
    }
    if (tried || tried.error().code != Errc::kNotFound) break;
  }
  return tried;
}

spool::EventColumn Column(const EventSpec& spec, unsigned precise) {
  spool::EventColumn column = {};
  CopyText(column.name, EventDisplayName(spec).view());
  column.kind = spec.kind;
  column.period = spec.period;
  column.frequency_hz = spec.frequency_hz;
  column.attr_type = spec.type;
  column.attr_config = spec.config;
  column.precise_ip = precise;
  column.precise_by = static_cast<spool::PreciseBy>(PrecisionOf(spec, precise));
  // As agent/results/spool_maker_signal.cpp explains.
  const bool tags =
      column.precise_by == spool::PreciseBy::kIbs || column.precise_by == spool::PreciseBy::kSpe;
  column.skid = spec.type == PERF_TYPE_SOFTWARE ? spool::Skid::kTimer
                : precise == 3 || tags          ? spool::Skid::kExact
                : precise != 0                  ? spool::Skid::kNextInstruction
                                                : spool::Skid::kInterrupt;
  return column;
}

std::string Level(const std::string& name) {
  return std::string(Trimmed(ReadTextFile("/proc/sys/kernel/" + name)));
}

}  // namespace

std::string WhyNotAttachable(const std::string& proc, pid_t pid) {
  const std::string number = std::to_string(pid);
  const auto stat = ReadProcessStat(proc + "/" + number);
  if (!stat) {
    // Signal 0 is not sent; EPERM is the kernel's answer for another user's process.
    if (kill(pid, 0) != 0 && errno == ESRCH) return "no process " + number + " is running";
    return "process " + number + " runs, but " + proc +
           " does not show it to this user (mount option hidepid); root or CAP_SYS_PTRACE permits "
           "it";
  }
  if (stat->is_kernel_thread) {
    return "process " + number + " (" + stat->name + ") is a kernel thread: it runs no program";
  }
  if (stat->HasEnded()) {
    return "process " + number + " (" + stat->name + ") has ended";
  }
  return "";
}

std::string ExplainRefusal(const Error& error, const std::string& proc, pid_t pid) {
  if (error.code != Errc::kPermission) {
    return std::string(error.what);
  }
  const auto user = UserOf(proc + "/" + std::to_string(pid));
  if (user && *user != geteuid()) {
    return "the process belongs to another user (uid " + std::to_string(*user) +
           "); root or CAP_PERFMON and CAP_SYS_PTRACE permit it";
  }
  const std::string level = Level("perf_event_paranoid");
  std::string why = "perf_event_open is not permitted";
  if (!level.empty()) why += " (kernel.perf_event_paranoid=" + level + ")";
  return why +
         "; root or CAP_PERFMON permits it, or sudo sysctl kernel.perf_event_paranoid=2 where the "
         "value is higher and no container forbids the call; programs that were setuid or made "
         "themselves undumpable need CAP_PERFMON";
}

Choice ChooseEvents(Kernel& kernel, const Wishes& wishes, pid_t pid, const std::string& proc,
                    const std::vector<int>& cpus, const CoreKinds& kinds) {
  Choice choice;
  choice.list.events[0] = Clock();
  choice.list.count = 1;
  if (!wishes.events.empty() && wishes.events != "auto") {
    EventComplaint complaint;
    const Result<EventList> list = ParseEventList(wishes.events, complaint);
    if (complaint.size() != 0) choice.warnings.emplace_back(complaint.view());
    if (list) {
      choice.list = *list;
    } else {
      choice.warnings.emplace_back("task-clock is sampled instead");
    }
  }
  EventComplaint rates;
  FitRates(kernel, choice.list, rates);
  if (rates.size() != 0) choice.warnings.emplace_back(rates.view());
  bool kernel_mode = wishes.kernel;
  const auto include_kernel = [&](bool on) {
    for (std::size_t i = 0; i < choice.list.count; ++i) {
      EventSpec& spec = choice.list.events[i];
      if (!spec.level_given && !spec.exclude_user && !spec.kernel_only) spec.exclude_kernel = !on;
    }
  };
  if (kernel_mode) include_kernel(true);
  const std::string folder = proc + "/" + std::to_string(pid);
  for (;;) {
    std::size_t failed = 0;
    Result<void> tried = Try(kernel, choice, folder, {cpus.front()}, failed);
    if (!tried && tried.error().code == Errc::kNoEvent && cpus.size() > 1) {
      tried = Try(kernel, choice, folder, cpus, failed);
    }
    if (tried) {
      const auto one_kind = WarningOfMissingCores(choice.list, kinds);
      if (one_kind.size() != 0) choice.warnings.emplace_back(one_kind.view());
      return choice;
    }
    const Error& error = tried.error();
    if (kernel_mode && error.code == Errc::kPermission) {
      kernel_mode = false;
      include_kernel(false);
      choice.warnings.emplace_back(
          "kernel mode is not sampled (CSINK_KERNEL): not permitted at "
          "kernel.perf_event_paranoid=" +
          Level("perf_event_paranoid"));
      continue;
    }
    const bool is_clock = choice.list.events[failed].kind == EventClass::kClock;
    if (error.code == Errc::kNotFound) {
      choice.problem = "the process has ended";
      return choice;
    }
    if (is_clock || error.code == Errc::kPermission || error.code == Errc::kLimit) {
      choice.problem = ExplainRefusal(error, proc, pid);
      return choice;
    }
    std::string line =
        std::string("event ") + choice.list.events[failed].name + " is left out: " + error.what;
    for (std::size_t i = failed; i + 1 < choice.list.count; ++i) {
      choice.list.events[i] = choice.list.events[i + 1];
    }
    if (--choice.list.count == 0) {
      choice.list.events[0] = Clock();
      choice.list.count = 1;
      line += "; sampling task-clock instead";
    }
    choice.warnings.push_back(std::move(line));
  }
}

void DescribeSession(const Choice& choice, Surroundings& surroundings) {
  spool::Header& header = surroundings.header;
  // Of this process: the machine, the kernel and the clocks are the same. What concerns the process
  // itself is replaced.
  static agent::StartState state;
  agent::ReadStartState(state);
  agent::DescribeProcess(state, header);
  header.pid = header.parent_pid = 0;
  header.process_start_ticks = header.image_realtime_ns = 0;
  header.start_user_ns = header.start_system_ns = header.start_switches = 0;
  for (char* text : {header.program, header.executable, header.command, header.working_directory}) {
    text[0] = 0;
  }
  header.source = spool::Source::kRing;
  header.event_count = static_cast<std::uint32_t>(choice.list.count);
  for (std::size_t i = 0; i < choice.list.count; ++i) {
    header.events[i] = Column(choice.list.events[i], choice.precise[i]);
    const EventSpec& spec = choice.list.events[i];
    if (spec.kind == EventClass::kClock && !spec.exclude_kernel) {
      surroundings.system_is_sampled = true;
    }
  }
}

}  // namespace csink::attach

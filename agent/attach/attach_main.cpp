#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/attach/become.h"
#include "agent/attach/choose.h"
#include "agent/attach/hold.h"
#include "agent/attach/python_process.h"
#include "agent/attach/session.h"
#include "agent/attach/wait_watch.h"
#include "core/machine/clocks.h"
#include "core/machine/deadly_calls.h"
#include "core/util/parse.h"
#include "core/util/text_file.h"
#include "core/util/unique_fd.h"
#include "core/version/version.h"

/// File: the program csink-attach, started by the csink tool (docs/design/attach.md).
///   csink-attach watch PID            samples a running process until it ends, a signal, or
///                                     CSINK_DURATION
///   csink-attach follow PID READY     samples a process from its next exec on. Writes a byte to
///                                     READY, a descriptor, when the events are open
///   csink-attach hold GATE PRELOAD PROGRAM...
///                                     waits for a byte from GATE, a descriptor, and executes
///                                     (hold.h)
///   csink-attach become WHY PRELOAD PATH PROGRAM...
///                                     has this process sampled and executes PATH; started by the
///                                     exec hooks of libagent.so (become.h)
///   csink-attach --version
/// Settings come from the environment: CSINK_SPOOL_DIR (required), CSINK_TREE, CSINK_EVENTS,
/// CSINK_KERNEL, CSINK_STACKS, CSINK_DURATION, CSINK_WAIT.

namespace csink::attach {
namespace {

constexpr int kUsage = 2;
constexpr int kFailed = 1;
// Nothing was sampled: csink tells the user.
constexpr int kNothing = 4;

// Between two drains. A ring of 256 KiB has room for 4,000 samples without callers, of which a
// processor has 100 in this time at the default rate.
constexpr std::uint64_t kDrainNs = 50'000'000;
// Between two readings of the times of single threads: half a second, and so long that the readings
// take at most 0.5 % of a processor. A reading takes 10 us for each thread.
constexpr std::uint64_t kThreadTimesNs = 500'000'000;
constexpr std::uint64_t kThreadTimesCost = 200;

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Settings that only the agent in the program can follow.
constexpr const char* kOnlyInside[] = {"CSINK_DELAY", "CSINK_START_PAUSED", "CSINK_CONTROL",
                                       "CSINK_INCLUDE", "CSINK_EXCLUDE"};

void Say(const char* level, const std::string& text) {
  std::fprintf(stderr, "csink: %s: %s\n", level, text.c_str());
}

void WarnOfSettings() {
  std::string names;
  for (const char* name : kOnlyInside) {
    const std::string value = Setting(name);
    const auto on = ParseBool(value);
    if (value.empty() || (on && !*on)) continue;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (!names.empty()) Say("warn", "not possible from outside, and ignored: " + names);
}

// A target with 500 busy threads would leave this process a 500th of the processor: opening its
// events would take seconds. A session of its own is a scheduling group of its own (autogroup,
// sched(7)), which has as large a share as the target's. The priority is for root.
void TakeOwnShareOfTheProcessor() {
  setsid();
  setpriority(PRIO_PROCESS, 0, -20);
}

// Every thread needs a descriptor for each processor and event.
void RaiseDescriptorLimit() {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

std::vector<int> OnlineCpus() {
  std::vector<int> cpus = ParseCpuList(ReadTextFile("/sys/devices/system/cpu/online"));
  // Without /sys: as many as are configured, numbered from 0.
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  for (int cpu = 0; cpus.empty() && cpu < count; ++cpu) cpus.push_back(cpu);
  return cpus;
}

/// The end of the waiting.
enum class Wake { kTime, kTargetEnded, kSignal };

/// Waits for the target's end, a signal or the time.
class Watch {
 public:
  Watch(pid_t pid, bool ends_by_signal) : pid_(pid) {
    // A pidfd refers to this process for ever, unlike its number, which the kernel may give to
    // another process. Linux 5.3; without it the number is asked.
    process_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    // `csink run`: the signals are the program's, which may handle them and go on.
    if (ends_by_signal) signals_ = UniqueFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  Wake Wait(std::uint64_t timeout_ns) const {
    pollfd wait[2] = {{process_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    const timespec time = {static_cast<time_t>(timeout_ns / 1'000'000'000),
                           static_cast<long>(timeout_ns % 1'000'000'000)};
    // Negative descriptors are ignored.
    const int ready = ppoll(wait, 2, &time, nullptr);
    if (ready > 0 && wait[1].revents != 0) return Wake::kSignal;
    if (ready > 0 && wait[0].revents != 0) return Wake::kTargetEnded;
    if (process_.get() < 0 && kill(pid_, 0) != 0 && errno == ESRCH) return Wake::kTargetEnded;
    return Wake::kTime;
  }

 private:
  pid_t pid_;
  UniqueFd process_;
  UniqueFd signals_;
};

// What the report says of the source.
std::string SourceReason(const Session::Attached& attached, bool on_exec, bool stacks) {
  std::string reason = on_exec ? "sampled from outside by csink-attach from the start, because "
                                 "libagent.so cannot be preloaded"
                               : "attached from outside";
  if (stacks) reason += "; callers by frame pointers only";
  if (attached.refused != 0) {
    reason +=
        "; " + std::to_string(attached.refused) + " threads without events: " + attached.why.what;
  }
  return reason;
}

// Drains the rings and looks at blocked threads until the target's end, a signal or the end of
// CSINK_DURATION.
void Sample(Session& session, const Watch& watch, WaitWatch* waits) {
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  const std::uint64_t begin = MonotonicNs();
  std::uint64_t end = kNever;
  if (const auto duration = ParseDuration(Setting("CSINK_DURATION")); duration && *duration != 0) {
    end = begin + *duration;
  }
  std::uint64_t next_drain = begin + kDrainNs;
  std::uint64_t next_times = begin + kThreadTimesNs;
  for (;;) {
    const std::uint64_t now = MonotonicNs();
    if (now >= end) return;
    const std::uint64_t next = std::min({next_drain, end, waits ? waits->next_ns() : kNever});
    if (watch.Wait(next > now ? next - now : 0) != Wake::kTime) return;
    const std::uint64_t woken = MonotonicNs();
    if (waits && woken >= waits->next_ns()) {
      session.ObserveWaits();
      if (const std::string complaint = waits->TakeComplaint(); !complaint.empty()) {
        Say("warn", complaint);
      }
    }
    if (woken < next_drain) continue;
    next_drain = woken + kDrainNs;
    session.Drain(/*all=*/false);
    const bool thread_times = woken >= next_times;
    const std::uint64_t spent_before = ThreadCpuNs();
    session.Update(thread_times);
    if (thread_times) {
      const std::uint64_t cost = ThreadCpuNs() - spent_before;
      next_times = woken + std::max(kThreadTimesNs, kThreadTimesCost * cost);
    }
  }
}

int Run(pid_t pid, bool on_exec, UniqueFd ready) {
  Surroundings surroundings;
  surroundings.folder = Setting("CSINK_SPOOL_DIR");
  if (surroundings.folder.empty()) {
    Say("error", "csink-attach is started by csink attach and csink run");
    return kUsage;
  }
  RaiseDescriptorLimit();
  TakeOwnShareOfTheProcessor();
  // Before the first look at /proc: from here on a reused number is noticed.
  const Watch watch(pid, !on_exec);
  const std::string who = "process " + std::to_string(pid) + " cannot be attached: ";
  if (const std::string why = WhyNotAttachable(surroundings.proc, pid); !why.empty()) {
    Say("error", why);
    return kFailed;
  }
  Wishes wishes;
  wishes.events = Setting("CSINK_EVENTS");
  const std::string stacks = Setting("CSINK_STACKS");
  wishes.stacks = !stacks.empty() && stacks != "off" && stacks != "0";
  const auto kernel_mode = ParseBool(Setting("CSINK_KERNEL"));
  wishes.kernel = kernel_mode && *kernel_mode;
  const std::vector<int> cpus = OnlineCpus();
  if (cpus.empty()) {
    Say("error", who + "the list of processors cannot be read (/sys/devices/system/cpu/online)");
    return kFailed;
  }
  const Choice choice = ChooseEvents(RealKernel(), wishes, pid, surroundings.proc, cpus);
  for (const std::string& warning : choice.warnings) Say("warn", warning);
  if (!choice.problem.empty()) {
    Say("error", who + choice.problem);
    return kFailed;
  }
  WarnOfSettings();
  surroundings.stacks = wishes.stacks;
  const auto wait = ParseBool(Setting("CSINK_WAIT"));
  surroundings.waits = wait && *wait;
  DescribeSession(choice, surroundings);
  if (const auto tree = ParseUnsigned(Setting("CSINK_TREE"))) surroundings.header.tree_id = *tree;

  // Before an exec the process is not the program yet.
  PythonInterpreter interpreter;
  if (!on_exec && Setting("CSINK_PYTHON") != "off") {
    const FoundPython found =
        FindPythonIn(surroundings.proc + "/" + std::to_string(pid), pid, interpreter);
    surroundings.python = found == FoundPython::kYes;
    if (found == FoundPython::kUnreadable) {
      Say("warn", "the memory of process " + std::to_string(pid) +
                      " cannot be read (ptrace): its Python functions have no names");
    }
  }

  ThreadEvents::Options options;
  options.stacks = wishes.stacks;
  options.on_exec = on_exec;
  if (surroundings.python) options.stack_bytes = kPythonStackBytes;
  // A record with 127 callers has 1 KiB, one of Python 2.4.
  options.ring_bytes = wishes.stacks || surroundings.python ? 1 << 20 : 1 << 18;
  ThreadEvents events(RealKernel(), choice.list, cpus, options);
  std::optional<WaitWatch> waits;
  if (surroundings.waits) waits.emplace(surroundings.proc, MonotonicNs());
  Session session(surroundings, events, choice.list, waits ? &*waits : nullptr);
  // The images copy the header, so that it must be complete before the first one is made; what is
  // known only afterwards is added below.
  const auto begin_reason = SourceReason({}, on_exec, wishes.stacks);
  std::snprintf(surroundings.header.source_reason, sizeof surroundings.header.source_reason, "%s",
                begin_reason.c_str());
  const Result<Session::Attached> attached = session.AttachTo(pid, on_exec);
  if (!attached) {
    Say("error", who + ExplainRefusal(attached.error(), surroundings.proc, pid));
    return kFailed;
  }
  if (attached->refused != 0) {
    Say("warn", std::to_string(attached->refused) + " threads of process " + std::to_string(pid) +
                    " are not sampled: " + attached->why.what);
    session.SetSourceReason(SourceReason(*attached, on_exec, wishes.stacks));
  }
  if (!on_exec && !attached->maps_were_read) {
    Say("warn", "/proc/" + std::to_string(pid) +
                    "/maps cannot be read: the report cannot name functions and libraries that "
                    "were loaded before; CAP_SYS_PTRACE permits it");
  }
  // The other end waits for the byte, or for the end of the file.
  if (ready) (void)!write(ready.get(), "s", 1);
  ready = UniqueFd();

  // Now the events have taken their descriptors.
  if (waits) waits->set_most_files(FilesForWaits());
  Sample(session, watch, waits ? &*waits : nullptr);
  session.Finish();
  if (session.spools() != 0) return 0;
  // kNothing would make csink say that the process had no sample.
  return session.failed_spools() != 0 ? kFailed : kNothing;
}

}  // namespace
}  // namespace csink::attach

int main(int count, char** arguments) {
  using namespace csink::attach;
  csink::FindDeadlyCalls();
  csink::LearnTimeNamespace();
  const std::string_view mode = count > 1 ? arguments[1] : "";
  const auto number = csink::ParseUnsigned(count > 2 ? arguments[2] : "");
  const bool valid = number && *number <= 0x7fffffff;
  if (mode == "hold" && valid && count > 4) {
    return HoldAndExecute(static_cast<int>(*number), arguments[3], arguments + 4);
  }
  if (mode == "become" && count > 5) {
    return BecomeProgram(arguments + 2, [](pid_t pid, csink::UniqueFd ready) {
      return Run(pid, /*on_exec=*/true, std::move(ready));
    });
  }
  if (mode == "watch" && valid && count == 3) {
    return Run(static_cast<pid_t>(*number), false, csink::UniqueFd());
  }
  if (mode == "--version" && count == 2) {
    return std::printf("csink-attach %s\n", csink::VersionText()) < 0 || std::fflush(stdout) != 0;
  }
  const auto ready = csink::ParseUnsigned(count > 3 ? arguments[3] : "");
  if (mode == "follow" && valid && count == 4 && ready && *ready <= 0x7fffffff) {
    const int fd = static_cast<int>(*ready);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return Run(static_cast<pid_t>(*number), true, csink::UniqueFd(fd));
  }
  std::fputs("csink-attach is started by csink attach and csink run\n", stderr);
  return kUsage;
}

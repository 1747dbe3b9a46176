#include "symbolizer/commands/run/run_command.h"

#include <linux/perf_event.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/machine/clocks.h"
#include "core/util/output_template.h"
#include "core/util/raw_syscall.h"
#include "core/util/text_file.h"
#include "core/util/unique_fd.h"
#include "profil/format/tree_names.h"
#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/inspect/doctor_command.h"
#include "symbolizer/commands/launch/child.h"
#include "symbolizer/commands/launch/launch.h"
#include "symbolizer/commands/launch/tree_attachers.h"
#include "symbolizer/commands/launch/tree_clock.h"
#include "symbolizer/commands/load/keep_modules.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/nothing_sampled.h"
#include "symbolizer/commands/load/perf_allowed.h"
#include "symbolizer/commands/load/sample_counts.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/users_place.h"
#include "symbolizer/commands/push/tree_push.h"
#include "symbolizer/commands/run/outside_run.h"
#include "symbolizer/commands/show/page_output.h"
#include "symbolizer/report/verdict/ledger_lines.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: `csink run`: checks what would make a long run useless, makes a folder for the tree's
/// spools, runs the program with the agent preloaded (LD_PRELOAD, CSINK_TREE, CSINK_SPOOL_DIR) or,
/// where that is impossible, sampled from outside by csink-attach, and reports the tree's spools
/// when the program has ended. Descendants that still run keep the folder.

namespace csink::tool {
namespace {

/// Whether the process's environment contains `wanted`, as it was when its image began. A zombie
/// process has an empty environment; so has a process of another user, for whom /proc/PID/environ
/// cannot be read.
bool HasVariable(const std::filesystem::path& process, const std::string& wanted) {
  const std::string environment = ReadTextFile((process / "environ").string());
  // Every variable ends with a NUL, and begins behind one.
  return ('\0' + environment).find('\0' + wanted + '\0') != std::string::npos;
}

/// The number of running processes that belong to a process tree (CSINK_TREE in /proc/PID/environ),
/// as far as this user may see them. Programs that cleared their environment are not found. Reads
/// all of /proc: about 10 us for each process of the machine.
std::size_t RunningInTree(std::uint64_t tree) {
  const std::string wanted = "CSINK_TREE=" + std::to_string(tree);
  std::size_t count = 0;
  // Processes end while /proc is read; errors only end the search.
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!std::isdigit(static_cast<unsigned char>(name[0]))) continue;
    // csink-attach, which samples a program of the tree, is none itself.
    count += HasVariable(entry->path(), wanted) &&
             ReadTextFile((entry->path() / "comm").string()) != "csink-attach\n";
  }
  return count;
}

/// Exit statuses of shells for a command that cannot be executed or was not found.
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

/// Opens a disabled event of this process, which is closed when the result is. The first event of a
/// kind on an idle machine takes 5 to 20 ms, because the kernel patches its own code. While this
/// event is open, that happens once for the whole tree, not for each short process. Invalid if perf
/// events are refused.
UniqueFd HoldEvent(std::uint64_t config) {
  if (!PerfMayBeOpened()) return {};
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = PERF_ATTR_SIZE_VER1;  // Accepted by every kernel
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  const long fd =
      RawSyscall(SYS_perf_event_open, SyscallArg(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return UniqueFd(fd >= 0 ? static_cast<int>(fd) : -1);
}

/// A number that identifies the tree. Other processes find its members by it, and the folder is
/// named after it.
std::uint64_t RandomTreeId() {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    // Without getrandom(2) the pid is used.
    random = static_cast<std::uint64_t>(getpid());
  }
  return TreeNumber(random, RealtimeNs(), MonotonicNs());
}

/// The times of getrusage(2), which have microseconds, in the unit of profiles.
std::uint64_t Nanoseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_usec) * 1000u;
}

/// The command as one line, for the header of the report. Not quoted: the line is not executed
/// again.
std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The number of processes that recorded that the settings exclude them.
std::uint64_t ExcludedProcesses(const Profile& profile) {
  std::uint64_t excluded = 0;
  for (const TreeEvidence& tree : profile.tree_evidence) {
    for (const LeftOutProcess& process : tree.left_out) {
      excluded += process.why == spool::LeftOut::kExcluded;
    }
  }
  return excluded;
}

/// The csink-attach that samples `path`, a program that cannot be preloaded, from outside; "" where
/// the agent is preloaded or csink-attach is not installed.
std::string AttacherFor(const std::string& path) {
  return !path.empty() && IsRunFromOutside(ObstacleOf(path)) ? FindAttacher() : "";
}

/// Prints in one line why the tree left no samples. The most specific reason wins: events that
/// counted nothing, a program that ignores LD_PRELOAD, too little time, excluded processes.
void ExplainNothing(const RunOptions& options, const Ended& ended, const Profile& profile,
                    bool outside_failed) {
  const std::uint64_t samples = MostSamples(profile);
  if (const std::string empty = WhyNothingWasSampled(profile); !empty.empty()) {
    Warn("nothing to report: " + empty);
    return;
  }
  const std::string& command = options.command[0];
  const std::string path = FindProgram(command);
  const std::string why = path.empty() ? "" : WhyNotPreloadable(path);
  if (outside_failed) {
    Warn("nothing to report: csink-attach could not sample " + command + ", as said above");
    return;
  }
  // wait4(2) lacks descendants without a waiting parent, the counter is 0 where perf is refused:
  // the larger one is nearer to the truth.
  const std::uint64_t cpu_ns = std::max(Nanoseconds(ended.usage.ru_utime), profile.tree.counted_ns);
  const double cpu = static_cast<double>(cpu_ns) / 1e9;
  if (samples == 0 && !why.empty() && AttacherFor(path).empty()) {
    Warn("nothing to report: " + command + " " + why +
         "; libagent.so cannot be loaded into this program");
  } else if (cpu < 0.05) {
    Warn("nothing to report: " + command + " used too little CPU time (fewer than 10 samples in " +
         report::Duration(cpu) + "); -e task-clock@10kHz takes more");
  } else if (const std::uint64_t excluded = ExcludedProcesses(profile); excluded > 0) {
    Warn(
        "nothing to report: --include and --exclude, or --follow (CSINK_INCLUDE, CSINK_EXCLUDE, "
        "CSINK_FOLLOW), exclude " +
        report::Count(excluded, "process", "processes"));
  } else {
    // The causes that were recorded, or "unknown".
    const report::Ledger ledger = report::MakeLedger(profile);
    std::string text = "nothing to report: no process left samples";
    if (ledger.SecondsOf(report::Where::kOutside) > 0) text += "; " + report::OutsideNote(ledger);
    text += "; csink doctor shows what is possible here";
    if (ledger.SecondsOf(report::Cause::kNoEnvironment) > 0) {
      text += ", --follow all follows programs that clear their environment";
    }
    Warn(report::Printable(text));
  }
}

/// Warns that processes of the tree still run. `before` begins the line.
void WarnOfRunning(std::size_t count, const std::string& folder, const std::string& before = "") {
  const char* run =
      count == 1 ? " process of the tree still runs" : " processes of the tree still run";
  Warn(before + std::to_string(count) + run + "; report later: csink report " + folder);
}

/// Whether the file's name contains a property of a process, so that without one it is not known.
bool NamesAProcess(const std::string& file) {
  const std::string_view letters = "pehgtrj";
  return std::any_of(letters.begin(), letters.end(),
                     [&file](char letter) { return TemplateHas(file, letter); });
}

/// Writes a report without samples to the file of -o, so that a script does not take the report of
/// an earlier run for that of this run. Nothing is written to a terminal or pipe, where the line of
/// ExplainNothing says it.
void ReplaceByNothing(const RunOptions& options, const report::Resolver& resolve, Profile profile) {
  const std::string& file = options.output.file;
  if (file.empty() || (profile.processes.empty() && NamesAProcess(file))) return;
  WriteReportWithSources(MakeReport(std::move(profile), options.view, std::nullopt, resolve),
                         options.output, resolve);
}

/// Removes `spools`, which `profile` was made of, and the tree's folder. If processes still run,
/// these stay: their children need the folder. A process that has just started has no spool yet, so
/// /proc is asked, too. The spool of one that ended after the profile was made stays.
void CleanUp(const std::string& folder, const std::vector<std::string>& spools, std::uint64_t tree,
             const Profile& profile) {
  std::size_t live = 0;
  for (const ProcessRow& process : profile.processes) live += process.state == ProcessState::kLive;
  if (const std::size_t running = std::max(live, RunningInTree(tree)); running > 0) {
    WarnOfRunning(running, folder);
    return;
  }
  for (const std::string& path : spools) RemoveSpool(path);
  for (const std::string& path : KeptIn(folder)) RemoveFile(path);
  RemoveMessages(folder);
  const bool others_left = !RemoveUsersPlace(folder);
  // The folder's name leads to the place of other users.
  if (others_left || RemoveFolder(folder) == ENOTEMPTY) {
    Warn("a process ended while the report was written; report that process: csink report " +
         folder);
  }
}

/// Removes what only the running processes of a tree needed beside its spools, which are kept.
void LeaveSpoolsAlone(const std::string& folder, std::uint64_t tree) {
  if (RunningInTree(tree) > 0) return;
  ForgetWhereFilesAre(folder);
  RemoveMessages(folder);
}

/// Writes the tree's report and has the profile sent. Returns kExitSlower or 0.
int Report(const RunOptions& options, const report::Resolver& resolve, std::uint64_t tree,
           const std::string& folder, const Ended& ended, bool outside_failed,
           std::uint64_t counted_ns, const std::optional<report::Baseline>& baseline,
           TreePush& push) {
  const bool was_kept = SayMessages(folder);
  std::size_t failed = 0;
  const std::vector<std::string> spools = SpoolsOfTree(folder);
  // The end of the command itself, which nobody of the tree waits for.
  const ChildEnd top = {static_cast<std::uint32_t>(ended.pid),
                        0,
                        ended.status,
                        Nanoseconds(ended.usage.ru_utime),
                        Nanoseconds(ended.usage.ru_stime),
                        ended.end_monotonic_ns};
  TreeEvidence known;
  known.tree_id = tree;
  known.ends = {top};
  Profile profile = LoadProfile(spools, failed, MergeOptionsOf(options.view), known);
  // What was measured here includes processes that left no spool.
  profile.tree = {true,
                  Joined(options.command),
                  ended.wall_ns,
                  Nanoseconds(ended.usage.ru_utime),
                  Nanoseconds(ended.usage.ru_stime),
                  counted_ns};
  if (WIFSIGNALED(ended.status)) profile.tree.signal = WTERMSIG(ended.status);
  profile.tree.cgroup_oom_kills = ended.oom_kills.cgroup;
  if (MostSamples(profile) == 0 && LooksAtWaits(profile) == 0 &&
      MissedSamples(profile) < kManyMissed) {
    // A daemon that has just started has no spool yet.
    if (const std::size_t running = RunningInTree(tree); running > 0) {
      WarnOfRunning(running, folder, "nothing to report yet: ");
      ReplaceByNothing(options, resolve, std::move(profile));
      return 0;
    }
    if (!was_kept) {
      Warn("nothing to report");
    } else if (options.view.phase.empty()) {
      ExplainNothing(options, ended, profile, outside_failed);
    } else {
      (void)HasSamples(profile, options.view, folder);
    }
    if (options.keep) {
      LeaveSpoolsAlone(folder, tree);
      MarkAsKept(folder);
    } else {
      CleanUp(folder, spools, tree, profile);
    }
    ReplaceByNothing(options, resolve, std::move(profile));
    return 0;
  }
  if (const std::string wrong = WrongColumns(profile, options.view); !wrong.empty()) {
    Warn(wrong + "; all events are shown, sorted by the first");
  }
  const report::Report report = MakeReport(std::move(profile), options.view, baseline, resolve);
  const bool written = WriteReportWithSources(report, options.output, resolve);
  const bool pushed = push.Finish(spools, folder, resolve);
  // What was not reported or sent completely must not be removed.
  if (options.keep || !written || failed > 0 || !pushed) {
    LeaveSpoolsAlone(folder, tree);
    MarkAsKept(folder);
    Warn("spools are kept: csink report " + folder);
  } else {
    CleanUp(folder, spools, tree, report.profile);
  }
  return JudgeSpeed(report, options.view);
}

/// Runs the program with the agent, or sampled from outside if the agent cannot be preloaded.
/// `outside_failed`: set as RunFromOutside does.
Ended Run(const RunOptions& options, const std::string& agent, const Changes& changes,
          bool& outside_failed) {
  const std::string path = FindProgram(options.command[0]);
  const PreloadObstacle obstacle = ObstacleOf(path);
  const std::string attacher = AttacherFor(path);
  if (!attacher.empty()) {
    // The programs of another word size and musl's complain of libagent.so, or die of it.
    const bool harmless = obstacle == PreloadObstacle::kStatic;
    return RunFromOutside(options.command, {attacher, harmless ? agent : "", changes},
                          outside_failed);
  }
  // musl's dynamic linker would load the agent and end the program.
  Environment environment(obstacle == PreloadObstacle::kMusl ? "" : agent, changes);
  return RunChild(options.command, environment.data());
}

}  // namespace

int RunProgram(const RunOptions& options, const report::Resolver& resolve) {
  // This error is reported first, before problems with the agent; other errors of posix_spawn come
  // later.
  if (access(FindProgram(options.command[0]).c_str(), F_OK) != 0) {
    Complain("cannot run " + options.command[0] + ": no such program");
    return kNotFound;
  }
  const auto agent = FindAgent();
  if (!agent) return kExitNothing;
  // Errors that would make a long run useless are reported before the run.
  const Profiling& profiling = options.profiling;
  const std::string& events = profiling[Setting::kEvents];
  if (!events.empty()) {
    const std::string wrong = WhatIsWrongWithEvents(*agent, events, profiling[Setting::kSource]);
    if (!wrong.empty()) {
      Complain("-e " + events + ": " + wrong);
      return kExitUsage;
    }
  }
  std::optional<report::Baseline> baseline;
  if (!options.view.baseline.empty()) {
    baseline = LoadBaseline(options.view.baseline, resolve);
    if (!baseline) return kExitUsage;
  }
  TreePush push;
  if (!push.Prepare(profiling[Setting::kPush], profiling[Setting::kPushInterval])) {
    return kExitUsage;
  }
  // Behind all checks that may refuse the run, so that a refusal leaves no folder.
  const std::uint64_t tree = RandomTreeId();
  const auto folder = MakeTreeFolder(tree);
  if (!folder) {
    Complain("no folder for spools can be created; set CSINK_SPOOL_DIR to a folder that you own");
    return kExitNothing;
  }
  MakeUsersPlace(tree);
  SayWhereFilesAre(*folder);
  BeginMessages(*folder);
  Changes changes = {{"CSINK_TREE", std::to_string(tree)}, {"CSINK_SPOOL_DIR", *folder}};
  for (auto& change : ChangesOf(profiling)) changes.push_back(std::move(change));

  // Before the clock of the tree, which counts all processes that start from then on.
  push.Start(*folder, resolve);
  // Held until the tree has ended.
  const UniqueFd task_clock = HoldEvent(PERF_COUNT_SW_TASK_CLOCK);
  const UniqueFd cpu_clock = HoldEvent(PERF_COUNT_SW_CPU_CLOCK);
  const TreeClock tree_clock;
  bool outside_failed = false;
  const Ended ended = Run(options, *agent, changes, outside_failed);
  AwaitAttachers(*folder, [tree] { return RunningInTree(tree) > 0; });
  // csink-attach would count as a part of the tree.
  const bool outside = !AttacherFor(FindProgram(options.command[0])).empty();
  const std::uint64_t counted = outside ? 0 : tree_clock.NowNs();
  // csink-attach inherited a copy of the counter as well, and is not one of the measured programs.
  const std::uint64_t counted_ns = counted - std::min(counted, AttachersCpuNs(*folder));
  if (ended.spawn_errno != 0) {
    // Nothing was started, so the folder has no spools.
    for (const std::string& path : KeptIn(*folder)) RemoveFile(path);
    RemoveMessages(*folder);
    (void)RemoveFolder(*folder);
    RemoveUsersPlace(*folder);
    Complain("cannot run " + options.command[0] + ": " + std::strerror(ended.spawn_errno));
    return ended.spawn_errno == ENOENT || ended.spawn_errno == ENOTDIR ? kNotFound : kCannotExecute;
  }
  const int verdict =
      Report(options, resolve, tree, *folder, ended, outside_failed, counted_ns, baseline, push);
  // The program's own failure is more important than being slower.
  return ended.ExitCode() == 0 ? verdict : ended.ExitCode();
}

}  // namespace csink::tool

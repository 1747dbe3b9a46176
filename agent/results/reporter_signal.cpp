#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <string_view>

#include "agent/results/reporter.h"
#include "core/machine/child.h"
#include "core/machine/installed_program.h"
#include "core/machine/maps.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/static_storage.h"

/// File: starts csink for a report. All arguments are prepared in static memory before the child
/// exists, because the child shares the memory and may make raw system calls only.

namespace csink::agent {
namespace {

// Variables of the program's environment beyond this number are not passed on.
constexpr std::size_t kMaxVariables = 4096;
// Descriptors that csink gets at least, if the hard limit permits.
constexpr rlim_t kReporterFiles = 64;

// In .bss: the report may be started in a handler on a small stack.
struct Launch {
  Text<4600> program;
  Text<4600> own_path;
  const char* arguments[kMostToolArguments + 2];
  int inherited[kMostToolDescriptors];
  std::size_t inherited_count;
  const char* environment[kMaxVariables];
  Text<24> min_samples;
  Text<24> top;
  Text<1100> baseline;
  Text<600> fallback;  ///< File for the report if stderr is closed
  int stderr_fd;
};
constinit StaticStorage<Launch> g_launch;
alignas(MapsReader) unsigned char g_maps_reader[sizeof(MapsReader)];

struct OwnPath {
  std::uint64_t address;
  Text<4600>* path;
};

// Adds the path of the mapping that contains this code, and stops there.
bool VisitOwnMapping(const MapsLine& line, void* arg) noexcept {
  auto* own = static_cast<OwnPath*>(arg);
  if (own->address < line.start || own->address >= line.end) return true;
  own->path->Add(line.path);
  return false;
}

// Finds csink. The path of libagent.so comes from /proc, because dladdr is not safe in handlers.
bool FindReporter(const Config& config, Text<4600>& program) noexcept {
  program.Clear();
  if (config.reporter.size() != 0) {
    program.Add(config.reporter.view());
    return MayExecute(program.c_str());
  }
  Text<4600>& own_path = g_launch.get().own_path;
  own_path.Clear();
  OwnPath own = {reinterpret_cast<std::uint64_t>(&FindReporter), &own_path};
  auto* reader = new (g_maps_reader) MapsReader(VisitOwnMapping, &own);
  (void)ForEachMapping("/proc/thread-self/maps", *reader);
  return FindInstalled(own_path.view(), "csink", ProgramKind::kTool, program);
}

bool IsNamed(const char* variable, std::string_view name) noexcept {
  return std::strncmp(variable, name.data(), name.size()) == 0;
}

// The program's environment without variables that load code into a process: the agent, an
// allocator, a sanitizer or an auditor must not run in the reporter. CSINK_ENABLE=0 disables an
// agent that /etc/ld.so.preload names. CSINK_BASELINE is passed on as an argument, and only if it
// is valid; otherwise csink would print the same warning again.
void BuildEnvironment(Launch& launch) noexcept {
  std::size_t count = 0;
  launch.environment[count++] = "CSINK_ENABLE=0";
  for (char** variable = environ; variable && *variable && count + 1 < kMaxVariables; ++variable) {
    if (IsNamed(*variable, "LD_PRELOAD=") || IsNamed(*variable, "LD_AUDIT=") ||
        IsNamed(*variable, "CSINK_ENABLE=") || IsNamed(*variable, "CSINK_BASELINE=")) {
      continue;
    }
    launch.environment[count++] = *variable;
  }
  launch.environment[count] = nullptr;
}

void BuildArguments(Launch& launch, const Config& config, const StartState& start,
                    const char* spool_path, std::uint64_t min_samples, OutputName name) noexcept {
  std::size_t n = 0;
  const auto add = [&](const char* argument) { launch.arguments[n++] = argument; };
  add(launch.program.c_str());
  add("report");
  add("--at-exit");
  add("--min-samples");
  launch.min_samples.Clear();
  add(launch.min_samples.Number(min_samples).c_str());
  add("--top");
  launch.top.Clear();
  add(launch.top.Number(config.top).c_str());
  add("--format");
  add(NameOf(config.format).name.data());  // a string literal, so it ends with a NUL
  if (config.keep) add("--keep");
  if (config.output_path.size() != 0) {
    add("-o");
    add(config.output_path.c_str());
    if (name != OutputName::kDistinguished) add("--as-named");
    if (name == OutputName::kOfCommand) add("--only-reports");
  }
  if (config.per_thread) add("--per-thread");
  if (config.stacks != Stacks::kOff) add("--stacks");
  if (config.baseline.size() != 0) {
    launch.baseline.Clear();
    if (config.baseline.c_str()[0] != '/' && start.directory[0]) {
      launch.baseline.Add(start.directory).Add('/');
    }
    launch.baseline.Add(config.baseline.view());
    add("--baseline");
    add(launch.baseline.c_str());
  }
  add(spool_path);
  launch.arguments[n] = nullptr;
}

// Runs in a child that shares the agent's memory: raw system calls only.
int ExecReporter(void* arg) {
  const Launch& launch = *static_cast<const Launch*>(arg);
  // The child has a copy of the table of descriptors, so the program's descriptors do not change.
  const long null = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg("/dev/null"), O_RDWR);
  int err = launch.stderr_fd;
  if (err < 0) {
    err = static_cast<int>(RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(launch.fallback.c_str()),
                                      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
  }
  if (err >= 0 && err != 2) RawSyscall(SYS_dup3, err, 2, 0);
  for (std::size_t i = 0; i < launch.inherited_count; ++i) {
    RawSyscall(SYS_fcntl, launch.inherited[i], F_SETFD, 0);
  }
  RawSyscall(SYS_fcntl, 2, F_SETFD, 0);  // node sets close-on-exec for its stderr
  if (null > 0) RawSyscall(SYS_dup3, null, 0, 0);
  if (null != 1) RawSyscall(SYS_dup3, null, 1, 0);
  if (null > 2) RawSyscall(SYS_close, null);
  // The limits of memory are the program's. csink gets what the program could give itself.
  for (const int memory : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit = {};
    if (RawSyscall(SYS_prlimit64, 0, memory, 0, SyscallArg(&limit)) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    RawSyscall(SYS_prlimit64, 0, memory, SyscallArg(&limit), 0);
  }
  // The program may have lowered its limit of descriptors; csink's libraries need some.
  struct rlimit files = {};
  if (RawSyscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, SyscallArg(&files)) == 0 &&
      files.rlim_cur < kReporterFiles) {
    files.rlim_cur = files.rlim_max < kReporterFiles ? files.rlim_max : kReporterFiles;
    RawSyscall(SYS_prlimit64, 0, RLIMIT_NOFILE, SyscallArg(&files), 0);
  }
  const unsigned long none = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&none), 0, 8);
  RawSyscall(SYS_execve, SyscallArg(launch.program.c_str()), SyscallArg(launch.arguments),
             SyscallArg(launch.environment));
  RawSyscall(SYS_exit_group, 127);
  return 127;
}

// True if the program's memory is limited, and csink could not raise the limit.
bool IsMemoryLimited() noexcept {
  for (const int memory : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit = {};
    if (RawSyscall(SYS_prlimit64, 0, memory, 0, SyscallArg(&limit)) == 0 &&
        limit.rlim_max != RLIM_INFINITY) {
      return true;
    }
  }
  return false;
}

// Runs the prepared launch and waits for it. `suffix`: of the file beside the spool that takes
// csink's stderr where the program has closed its own.
ReportOutcome Execute(Launch& launch, const StartState& start, const char* spool_path,
                      std::string_view suffix) noexcept {
  launch.fallback.Clear();
  launch.fallback.Add(spool_path).Add(suffix);
  // Descriptor 2 may have been replaced by a file of the program, into which no report may be
  // written. Then the duplicate is used, which was made when the program closed stderr.
  launch.stderr_fd = IsStartStderr(start, 2)                    ? 2
                     : IsStartStderr(start, start.saved_stderr) ? start.saved_stderr
                                                                : -1;
  int status = 0;
  if (!RunExecChild(ExecReporter, &launch, &status)) return ReportOutcome::kFailed;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ReportOutcome::kWritten;
  return IsMemoryLimited() ? ReportOutcome::kNoMemory : ReportOutcome::kFailed;
}

}  // namespace

const char* WhyOutOfReach(const char* spool_path, std::uint32_t owner) noexcept {
  // faccessat asks for the real user, the report's open for the effective one.
  if (RawSyscall(SYS_getuid) != owner || RawSyscall(SYS_geteuid) != owner) {
    return "the program changed its user and can no longer read its profile";
  }
  // After chroot the path leads elsewhere. The user's own spool is refused only where one of its
  // folders is: a folder that a capability opened, or whose mode was changed.
  if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(spool_path), F_OK) == -ENOENT) {
    return "the program changed its root directory, or its profile was removed";
  }
  return "the program gave up a capability, or a folder was closed to it, and it can no longer "
         "read its profile";
}

int ErrorOf(ReportOutcome outcome) noexcept {
  switch (outcome) {
    case ReportOutcome::kWritten:
      return 0;
    case ReportOutcome::kNoReporter:
      return ENOENT;
    case ReportOutcome::kOutOfReach:
      return EACCES;
    case ReportOutcome::kFailed:
    case ReportOutcome::kNoMemory:
      return EIO;
  }
  return EIO;
}

ReportOutcome RunTool(const Config& config, const StartState& start, const char* spool_path,
                      const ToolRun& run) noexcept {
  Launch& launch = g_launch.Make();
  if (run.count > kMostToolArguments || run.inherited_count > kMostToolDescriptors) {
    return ReportOutcome::kFailed;
  }
  if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(spool_path), R_OK) < 0) {
    return ReportOutcome::kOutOfReach;
  }
  if (!FindReporter(config, launch.program)) return ReportOutcome::kNoReporter;
  BuildEnvironment(launch);
  launch.arguments[0] = launch.program.c_str();
  for (std::size_t i = 0; i < run.count; ++i) launch.arguments[i + 1] = run.arguments[i];
  launch.arguments[run.count + 1] = nullptr;
  launch.inherited_count = run.inherited_count;
  for (std::size_t i = 0; i < run.inherited_count; ++i) launch.inherited[i] = run.inherited[i];
  return Execute(launch, start, spool_path, ".txt");
}

ReportOutcome RunReporter(const Config& config, const StartState& start, const char* spool_path,
                          std::uint64_t min_samples, OutputName name) noexcept {
  Launch& launch = g_launch.Make();
  if (RawSyscall(SYS_faccessat, AT_FDCWD, SyscallArg(spool_path), R_OK) < 0) {
    return ReportOutcome::kOutOfReach;
  }
  if (!FindReporter(config, launch.program)) return ReportOutcome::kNoReporter;
  BuildEnvironment(launch);
  BuildArguments(launch, config, start, spool_path, min_samples, name);
  launch.inherited_count = 0;
  return Execute(launch, start, spool_path, NameOf(config.format).suffix);
}

}  // namespace csink::agent

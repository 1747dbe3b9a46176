#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "agent/devices/meter.h"
#include "core/machine/child.h"
#include "core/machine/clocks.h"
#include "core/machine/installed_program.h"
#include "core/util/futex.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/static_storage.h"
#include "core/util/unique_fd.h"

/// File: starts csink-meter, and tells device counters from sampled events.

namespace csink::agent {
namespace {

constexpr char kProgram[] = "csink-meter";
// The longest wait for the first reading, 0.3 s: a program must not start much later because of a
// slow device.
constexpr std::uint64_t kStartWaitNs = 300'000'000;
// Variables beyond this number are not passed on to the meter.
constexpr std::size_t kMaxVariables = 1024;
// The descriptor of the shared memory in csink-meter, agreed upon with meter_main.cpp.
constexpr int kMeterFd = 3;

// The arguments of the child, in static memory: the child is made with CLONE_VM and the environment
// alone is 8 KiB.
struct Launch {
  Text<1200> program;
  Text<24> pid;
  Text<1024> events;
  const char* arguments[5];
  const char* environment[kMaxVariables];
  int fd;
};

constinit StaticStorage<Launch> g_launch;

// The program's environment without variables that load code into a process (LD_PRELOAD, LD_AUDIT).
// CSINK_ENABLE=0 disables an agent that /etc/ld.so.preload names.
void BuildEnvironment(Launch& launch) noexcept {
  std::size_t count = 0;
  launch.environment[count++] = "CSINK_ENABLE=0";
  for (char** variable = environ; variable && *variable && count + 1 < kMaxVariables; ++variable) {
    if (std::strncmp(*variable, "LD_PRELOAD=", 11) == 0 ||
        std::strncmp(*variable, "LD_AUDIT=", 9) == 0 ||
        std::strncmp(*variable, "CSINK_ENABLE=", 13) == 0) {
      continue;
    }
    launch.environment[count++] = *variable;
  }
  launch.environment[count] = nullptr;
}

// Runs in a child that shares the agent's memory: raw system calls only. dup3 with equal
// descriptors fails, so close-on-exec is removed by fcntl in that case.
int ExecMeter(void* arg) {
  const Launch& launch = *static_cast<const Launch*>(arg);
  if (launch.fd == kMeterFd) {
    RawSyscall(SYS_fcntl, kMeterFd, F_SETFD, 0);
  } else {
    RawSyscall(SYS_dup3, launch.fd, kMeterFd, 0);
  }
  const unsigned long none = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&none), 0, 8);
  RawSyscall(SYS_execve, SyscallArg(launch.program.c_str()), SyscallArg(launch.arguments),
             SyscallArg(launch.environment));
  RawSyscall(SYS_exit_group, 127);
  return 127;
}

// dladdr knows the path of libagent.so.
bool FindMeter(Text<1200>& path) noexcept {
  static const char here = 0;
  Dl_info own = {};
  return dladdr(&here, &own) && own.dli_fname &&
         FindInstalled(own.dli_fname, kProgram, ProgramKind::kHelper, path);
}

}  // namespace

bool Meter::Start(std::string_view events, pid_t pid, bool quiet, Text<256>& why) noexcept {
  Launch& launch = g_launch.Make();
  if (!FindMeter(launch.program)) {
    why.Add(
        "csink-meter is not in the folder of libagent.so, nor in libexec/countersink: install it");
    return false;
  }
  const long made = RawSyscall(SYS_memfd_create, SyscallArg(kProgram), MFD_CLOEXEC);
  const UniqueFd fd(static_cast<int>(made));
  if (made < 0 || RawSyscall(SYS_ftruncate, made, sizeof(MeterTable)) < 0) {
    why.Add("shared memory for csink-meter could not be created");
    return false;
  }
  void* at = mmap(nullptr, sizeof(MeterTable), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) {
    why.Add("shared memory for csink-meter could not be created");
    return false;
  }
  // A forked child must not send commands to its parent's meter.
  madvise(at, sizeof(MeterTable), MADV_DONTFORK);
  auto* table = static_cast<MeterTable*>(at);
  table->command = kFirstMeterCommand;
  launch.fd = fd.get();
  launch.pid.Number(static_cast<std::uint64_t>(pid));
  launch.events.Add(events);
  launch.arguments[0] = kProgram;
  launch.arguments[1] = launch.pid.c_str();
  launch.arguments[2] = launch.events.c_str();
  launch.arguments[3] = quiet ? "quiet" : "";
  launch.arguments[4] = nullptr;
  BuildEnvironment(launch);
  int status = 0;
  // The meter's first process forks and exits with 0 at once, so that no child of the program
  // remains; another status means that exec failed.
  if (!RunExecChild(ExecMeter, &launch, &status) || !WIFEXITED(status) || WEXITSTATUS(status)) {
    munmap(at, sizeof(MeterTable));
    why.Add("csink-meter could not be started");
    return false;
  }
  table_ = table;
  const std::uint64_t until = MonotonicNs() + kStartWaitNs;
  for (std::uint64_t now = MonotonicNs(); now < until; now = MonotonicNs()) {
    if (__atomic_load_n(&table->done, __ATOMIC_ACQUIRE) != 0) break;
    FutexWait(&table->done, 0, until - now, FutexScope::kShared);
  }
  return true;
}

bool IsDeviceEvent(std::string_view item) noexcept {
  const std::size_t at = item.find(":::");
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view component = item.substr(0, at);
  return component != "perf" && component != "perf_event" && component != "perf_event_uncore";
}

void PartEvents(std::string_view list, Text<1024>& sampled, Text<1024>& metered) noexcept {
  while (!list.empty()) {
    const std::string_view item = Trimmed(NextToken(list, ','));
    if (item.empty()) continue;
    Text<1024>& to = IsDeviceEvent(item) ? metered : sampled;
    to.Add(to.size() == 0 ? "" : ",").Add(item);
  }
}

}  // namespace csink::agent

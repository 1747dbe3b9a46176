#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "agent/meter/device_event.h"
#include "agent/meter/device_meter.h"
#include "agent/meter/meter_table.h"
#include "core/machine/clocks.h"
#include "core/util/futex.h"
#include "core/version/version.h"

/// File: the program csink-meter.
/// csink-meter PID EVENTS QUIET: reads device counters while process PID lives, and writes them
/// into the memory that descriptor 3 refers to. libagent.so starts it. csink-meter describe EVENT
/// [json]: describes a device counter. csink doctor starts it. csink-meter --version.
///
/// The first form daemonises: the process that libagent.so started exits at once, and its child
/// loops: read, answer the command, wait on the futex `command` until the next reading is due.

namespace csink::agent {
namespace {

// Agreed upon with agent/devices/meter_start.cpp.
constexpr int kMeterFd = 3;
// Between the end of a reading and the next one: 100 ms.
constexpr std::uint64_t kIntervalNs = 100'000'000;
// A device that is slow is read less often: the meter uses at most a twentieth of a processor, and
// asks the device for at most half of the time.
constexpr std::uint64_t kMostOfTheTime = 20;
// The longest time until the end of the program is noticed without a pidfd, and the slice of a long
// wait.
constexpr int kPollMs = 100;

/// True if the process is alive. Without pidfd_open (Linux 5.3) tested by its number.
bool IsAlive(int pidfd, pid_t pid) {
  if (pidfd < 0) return kill(pid, 0) == 0 || errno == EPERM;
  pollfd end = {pidfd, POLLIN, 0};
  return poll(&end, 1, 0) == 0;
}

/// The profiled program; the meter ends with it.
struct Program {
  int pidfd;
  pid_t pid;
};

void* AwaitEnd(void* program) {
  const auto& [pidfd, pid] = *static_cast<const Program*>(program);
  pollfd end = {pidfd, POLLIN, 0};
  // Without a pidfd, poll only waits: it ignores negative descriptors.
  do {
    poll(&end, 1, pidfd < 0 ? kPollMs : -1);
  } while (IsAlive(pidfd, pid));
  _exit(0);
}

/// Ends the meter from a thread of its own when the program ends, also while a device library hangs
/// in the main thread. Otherwise the meter would keep the program's stderr open, and a reader of
/// that pipe would wait. Readings after the program's end are not used.
void EndWith(Program& program) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, AwaitEnd, &program) == 0) pthread_detach(thread);
}

// Waits until `command` changes from `seen`, at most `ns`. The futex is shared between processes.
// Tells the agent that `command` was carried out.
void Finish(MeterTable& table, std::uint32_t command) {
  __atomic_store_n(&table.done, command, __ATOMIC_RELEASE);
  FutexWake(&table.done, FutexScope::kShared);
}

void Run(MeterTable& table, pid_t pid, const char* events) {
  // A pidfd refers to this process for ever, unlike its number, which the kernel may give to
  // another process.
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  static Program program;  // static: the thread uses it until the process ends
  program = {pidfd, pid};
  EndWith(program);
  DeviceMeter meter(table);
  const bool any = meter.Open(events);
  std::uint32_t done = 0;
  for (;;) {
    const std::uint32_t command = __atomic_load_n(&table.command, __ATOMIC_ACQUIRE);
    const auto what = static_cast<MeterCommand>(command & kMeterCommandMask);
    const std::uint64_t before = MonotonicNs(), busy_before = ThreadCpuNs();
    if (any) meter.Read(what == MeterCommand::kPause);
    if (command != done) Finish(table, done = command);
    // The program's stderr was needed for events that could not be opened.
    if (command == kFirstMeterCommand) close(2);
    if (!any || what == MeterCommand::kEnd || !IsAlive(pidfd, pid)) return;
    // Not the wall time of the reading: it may have been preempted for most of that, and the energy
    // of a busy machine needs no fewer readings.
    const std::uint64_t cost = (ThreadCpuNs() - busy_before) * kMostOfTheTime;
    std::uint64_t left = std::max({cost, MonotonicNs() - before, kIntervalNs});
    // Waits in slices, so that the program's end is noticed between two readings of a slow device.
    while (left != 0 && table.command == command && IsAlive(pidfd, pid)) {
      const std::uint64_t slice = left < kPollMs * 1'000'000ull ? left : kPollMs * 1'000'000ull;
      FutexWait(&table.command, command, slice, FutexScope::kShared);
      left -= slice;
    }
  }
}

}  // namespace
}  // namespace csink::agent

int main(int count, char** arguments) {
  using namespace csink::agent;
  using csink::VersionText;
  if ((count == 3 || count == 4) && arguments[1] == std::string_view("describe")) {
    return DescribeDeviceEvent(arguments[2],
                               count == 4 && arguments[3] == std::string_view("json"));
  }
  if (count == 2 && arguments[1] == std::string_view("--version")) {
    return std::printf("csink-meter %s\n", VersionText()) < 0 || std::fflush(stdout) != 0;
  }
  if (count != 4) {
    std::fputs("csink-meter is started by libagent.so and csink doctor\n", stderr);
    return 2;
  }
  void* at = mmap(nullptr, sizeof(MeterTable), PROT_READ | PROT_WRITE, MAP_SHARED, kMeterFd, 0);
  if (at == MAP_FAILED) return 2;
  // Closes all descriptors of the program; stderr stays for the first messages.
  syscall(SYS_close_range, 3u, ~0u, 0u);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null > 0) dup2(null, 0);
  if (null > 0) dup2(null, 1);
  if (null > 0 && arguments[3][0] != 0) dup2(null, 2);
  if (null > 2) close(null);
  // The agent waits for this process, which exits at once; its child stays and has no parent that
  // must wait for it.
  const pid_t child = fork();
  if (child != 0) _exit(child > 0 ? 0 : 1);
  setsid();
  prctl(PR_SET_NAME, "csink-meter");
  if (chdir("/") != 0) return 1;
  Run(*static_cast<MeterTable*>(at), static_cast<pid_t>(std::atol(arguments[1])), arguments[2]);
  // _exit also ends threads that wait for a device that does not answer.
  _exit(0);
}

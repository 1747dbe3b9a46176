#include <sys/resource.h>
#include <time.h>

#include "core/machine/clocks.h"
#include "core/util/raw_syscall.h"

// File: raw system calls with one conversion each.

namespace csink {
namespace {

std::uint64_t ToNs(const timeval& t) noexcept {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_usec) * 1000;
}

// By the system call: the address of the vDSO would have to come from glibc, which lean code does
// not use.
std::uint64_t ReadClock(clockid_t clock) noexcept {
  timespec now = {};
  RawSyscall(SYS_clock_gettime, clock, SyscallArg(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

void ProcessCpuNs(std::uint64_t* user_ns, std::uint64_t* system_ns,
                  std::uint64_t* switches) noexcept {
  // RUSAGE_SELF covers threads that have ended, which a sum over /proc/self/task would miss.
  struct rusage usage = {};
  RawSyscall(SYS_getrusage, RUSAGE_SELF, SyscallArg(&usage));
  *user_ns = ToNs(usage.ru_utime);
  *system_ns = ToNs(usage.ru_stime);
  if (switches) *switches = static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
}

std::uint64_t MonotonicNs() noexcept { return ReadClock(CLOCK_MONOTONIC); }
std::uint64_t RealtimeNs() noexcept { return ReadClock(CLOCK_REALTIME); }
std::uint64_t BootNs() noexcept { return ReadClock(CLOCK_BOOTTIME); }
std::uint64_t ThreadCpuNs() noexcept { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace csink

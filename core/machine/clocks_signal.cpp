#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "core/machine/clocks.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/small_file.h"

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

// The initial time namespace's inode (linux/proc_ns.h: PROC_TIME_INIT_INO).
constexpr std::uint64_t kInitialTimeNamespace = 0xEFFFFFFA;
constinit std::int64_t g_monotonic_shift_ns = 0;

}  // namespace

// "monotonic  <seconds>  <nanoseconds>": the nanoseconds are never negative.
std::int64_t ParseMonotonicShift(std::string_view text) noexcept {
  while (!text.empty()) {
    std::string_view line = NextToken(text, '\n');
    if (!line.starts_with("monotonic ")) continue;
    const auto next = [&line] {
      while (line.starts_with(' ')) line.remove_prefix(1);
      return NextToken(line, ' ');
    };
    (void)next();
    std::string_view whole = next();
    const bool is_negative = whole.starts_with('-');
    if (is_negative) whole.remove_prefix(1);
    const auto seconds = ParseUnsigned(whole);
    const auto rest = ParseUnsigned(next());
    // The kernel refuses shifts by which the clock would pass 146 years (KTIME_SEC_MAX / 2).
    constexpr std::uint64_t kMostSeconds = 4'611'686'018;
    if (!seconds || !rest || *seconds > kMostSeconds || *rest >= 1'000'000'000) return 0;
    const auto whole_ns = static_cast<std::int64_t>(*seconds) * 1'000'000'000;
    return (is_negative ? -whole_ns : whole_ns) + static_cast<std::int64_t>(*rest);
  }
  return 0;
}

void LearnTimeNamespace() noexcept {
  struct stat own = {};
  g_monotonic_shift_ns = 0;
  if (RawSyscall(SYS_newfstatat, AT_FDCWD, SyscallArg("/proc/self/ns/time"), SyscallArg(&own), 0) <
          0 ||
      own.st_ino == kInitialTimeNamespace) {
    return;
  }
  const SmallFile<256> offsets("/proc/self/timens_offsets");
  g_monotonic_shift_ns = ParseMonotonicShift(offsets.view());
}

void ProcessCpuNs(std::uint64_t* user_ns, std::uint64_t* system_ns,
                  std::uint64_t* switches) noexcept {
  // RUSAGE_SELF covers threads that have ended, which a sum over /proc/self/task would miss.
  struct rusage usage = {};
  RawSyscall(SYS_getrusage, RUSAGE_SELF, SyscallArg(&usage));
  *user_ns = ToNs(usage.ru_utime);
  *system_ns = ToNs(usage.ru_stime);
  if (switches) *switches = static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
}

std::uint64_t MonotonicNs() noexcept {
  return ReadClock(CLOCK_MONOTONIC) - static_cast<std::uint64_t>(g_monotonic_shift_ns);
}
std::uint64_t RealtimeNs() noexcept { return ReadClock(CLOCK_REALTIME); }
std::uint64_t BootNs() noexcept { return ReadClock(CLOCK_BOOTTIME); }
std::uint64_t ThreadCpuNs() noexcept { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace csink

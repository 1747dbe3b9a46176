#include "core/counting/system/cycle_clock.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <atomic>

#include "core/counting/system/cpu_info.h"
#include "core/util/raw_syscall.h"

// RealCycles reads the processor's counter where that is a clock, else it scales CLOCK_MONOTONIC.
// The choice is made at the first call and kept in an atomic; threads that make it at the same time
// find the same answer, so no lock is needed. HostMhz is kept in the same way.

namespace csink {
namespace {

enum class CycleSource : int { kNotAsked, kCounter, kMonotonic };
std::atomic<CycleSource> g_source{CycleSource::kNotAsked};
std::atomic<unsigned> g_mhz{0};

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

std::uint64_t ToNs(const timespec& t) noexcept {
  return static_cast<std::uint64_t>(t.tv_sec) * kNsPerSecond +
         static_cast<std::uint64_t>(t.tv_nsec);
}

#if defined(__x86_64__)
std::uint64_t Counter() noexcept { return __builtin_ia32_rdtsc(); }

// Whether the time-stamp counter is usable as a clock: it must run at a constant rate and also in
// deep sleep (CPUID 0x80000007, EDX bit 8), and the process must not be forbidden to read it
// (prctl(2), PR_SET_TSC).
bool CounterIsClock() noexcept {
  int mode = 0;
  if (RawSyscall(SYS_prctl, PR_GET_TSC, SyscallArg(&mode)) >= 0 && mode == PR_TSC_SIGSEGV) {
    return false;
  }
  const auto power = HostCpuid()(0x8000'0007, 0);
  return power && ((power->edx >> 8) & 1);
}
#elif defined(__aarch64__)
std::uint64_t CounterHz() noexcept {
  std::uint64_t hz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
  return hz;
}

std::atomic<std::uint64_t> g_cycles_per_tick{0};  // fixed point, 32 fraction bits

// The architecture's counter runs at 1 MHz to 1 GHz, not at the processor's frequency; it is
// scaled.
std::uint64_t Counter() noexcept {
  std::uint64_t ticks;
  // isb: the processor could otherwise read the counter before earlier instructions are done.
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  const std::uint64_t factor = g_cycles_per_tick.load(std::memory_order_relaxed);
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(ticks) * factor) >> 32);
}

bool CounterIsClock() noexcept {
  const std::uint64_t hz = CounterHz();
  if (hz == 0) return false;  // the firmware has not set the register
  g_cycles_per_tick.store(Scaled(std::uint64_t{HostMhz()} * 1'000'000, std::uint64_t{1} << 32, hz),
                          std::memory_order_relaxed);
  return true;
}
#else
std::uint64_t Counter() noexcept { return 0; }
bool CounterIsClock() noexcept { return false; }
#endif

CycleSource ChooseSource() noexcept {
  const CycleSource source = CounterIsClock() ? CycleSource::kCounter : CycleSource::kMonotonic;
  // Release: on aarch64 a thread that sees kCounter must see g_cycles_per_tick, too.
  g_source.store(source, std::memory_order_release);
  return source;
}

// 1,000 dependent additions, which take 1,000 cycles on every processor that we know.
void AddThousand() noexcept {
  std::uint64_t x = 1, y = 3;
  for (int i = 0; i < 100; ++i) {
#if defined(__x86_64__)
    asm volatile(
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0"
        : "+r"(x)
        : "r"(y)
        : "cc");
#elif defined(__aarch64__)
    asm volatile(
        "add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\t"
        "add %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\tadd %0, %0, %1\n\t"
        "add %0, %0, %1\n\tadd %0, %0, %1"
        : "+r"(x)
        : "r"(y));
#else
    for (int step = 0; step < 10; ++step) asm volatile("" : "+r"(x) : "r"(y += x));
#endif
  }
}

}  // namespace

std::uint64_t RealNs() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ToNs(now);
}

std::uint64_t RealCycles() noexcept {
  CycleSource source = g_source.load(std::memory_order_acquire);
  if (source == CycleSource::kNotAsked) [[unlikely]] {
    source = ChooseSource();
  }
  if (source == CycleSource::kCounter) return Counter();
  return Scaled(RealNs(), HostMhz(), 1000);
}

std::uint64_t ThreadNs() noexcept {
  timespec now = {};
  // A raw system call: the vdso does not implement CPU-time clocks, so going through it only adds
  // the cost of its fallback.
  RawSyscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, SyscallArg(&now));
  return ToNs(now);
}

// 100 rounds of 10,000 cycles take about 1 ms in all, if the clock runs at 1 GHz; at higher
// frequencies less.
unsigned EstimateMhz() noexcept {
  constexpr int kRounds = 100;  // the fastest round counts: interrupts only make rounds slower
  constexpr int kRepeat = 10;
  std::uint64_t best_ns = ~std::uint64_t{0};
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t start = RealNs();
    for (int i = 0; i < kRepeat; ++i) AddThousand();
    best_ns = std::min(best_ns, RealNs() - start);
  }
  // Cycles per microsecond are MHz.
  constexpr std::uint64_t kCycles = 1000 * kRepeat;
  return static_cast<unsigned>(
      std::max<std::uint64_t>(1, kCycles * 1000 / std::max<std::uint64_t>(1, best_ns)));
}

// Two threads may measure at once at the first call; the later store is as good as the first.
unsigned HostMhz() noexcept {
  unsigned mhz = g_mhz.load(std::memory_order_relaxed);
  if (mhz != 0) return mhz;
  const SystemTree tree;
  mhz = ReadCpuFrequency(tree, HostCpuid(), ReadCpuTopology(tree)).max_mhz;
  if (mhz == 0) mhz = EstimateMhz();
  g_mhz.store(mhz, std::memory_order_relaxed);
  return mhz;
}

}  // namespace csink

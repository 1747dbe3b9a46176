#include <array>
#include <utility>

#include "core/perf/user_read.h"

namespace csink {
namespace {

// Bounds the retries: a signal handler must not hang even where the kernel never ends an update.
constexpr int kMostTries = 64;

#if defined(__x86_64__)
// `index` goes to rdpmc as it is: for fixed counters the kernel has set bit 30 in it.
std::uint64_t ReadCounter(std::uint32_t index) noexcept {
  std::uint32_t low, high;
  __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}
std::uint64_t ReadClock() noexcept {
  std::uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}
#else
// On aarch64 the register's number is part of the instruction, so each counter needs a function:
// op0 3, op1 3, CRn 14, CRm 8 + n / 8, op2 n % 8 (Arm ARM, PMEVCNTR<n>_EL0).
template <unsigned kIndex>
std::uint64_t ReadEventCounter() noexcept {
  std::uint64_t value;
  __asm__ volatile("mrs %0, S3_3_C14_C%c1_%c2"
                   : "=r"(value)
                   : "i"(8 + kIndex / 8), "i"(kIndex % 8));
  return value;
}
template <std::size_t... kIndices>
constexpr auto MakeReaders(std::index_sequence<kIndices...>) noexcept {
  return std::array<std::uint64_t (*)() noexcept, sizeof...(kIndices)>{
      &ReadEventCounter<kIndices>...};
}
constexpr auto kReaders = MakeReaders(std::make_index_sequence<31>());

std::uint64_t ReadCounter(std::uint32_t index) noexcept {
  if (index < kReaders.size()) return kReaders[index]();
  std::uint64_t value;
  __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
  return value;
}
std::uint64_t ReadClock() noexcept {
  std::uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
#endif

constexpr CounterInstructions kNative = {&ReadCounter, &ReadClock};

void CompilerBarrier() noexcept { __asm__ volatile("" : : : "memory"); }

// The kernel sets a counter to a negative start value, so that it overflows after a period.
// `offset` takes this into account, provided that the counter is read as a signed number of `width`
// bits.
std::uint64_t SignExtended(std::uint64_t value, unsigned width) noexcept {
  if (width == 0 || width >= 64) return value;
  const unsigned shift = 64 - width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
}

// Nanoseconds since the kernel's last update of the page.
std::uint64_t SinceUpdate(const perf_event_mmap_page& page, std::uint64_t cycles) noexcept {
  // A clock narrower than 64 bits wraps: linux/perf_event.h, cap_user_time_short.
  if (page.cap_user_time_short) {
    cycles = page.time_cycles + ((cycles - page.time_cycles) & page.time_mask);
  }
  // Split to avoid overflow of cycles * time_mult, as linux/perf_event.h shows it.
  const std::uint64_t whole = cycles >> page.time_shift;
  const std::uint64_t rest = cycles & ((std::uint64_t{1} << page.time_shift) - 1);
  return page.time_offset + whole * page.time_mult + ((rest * page.time_mult) >> page.time_shift);
}

}  // namespace

const CounterInstructions& NativeCounterInstructions() noexcept { return kNative; }

bool UserRead(const perf_event_mmap_page& page, const CounterInstructions& instructions,
              bool with_times, RawCount& out) noexcept {
  const auto* lock = &page.lock;
  for (int tries = 0; tries < kMostTries; ++tries) {
    // The page is written by the kernel on this processor (in an interrupt or context switch),
    // never by another one. So only the compiler must not reorder the accesses; no fence is needed.
    const std::uint32_t sequence = __atomic_load_n(lock, __ATOMIC_RELAXED);
    CompilerBarrier();
    const std::uint32_t index = page.index;
    // Returned without looking at the lock again: both answers are safe, since the caller asks the
    // kernel.
    if (!page.cap_user_rdpmc || index == 0) return false;
    out.enabled_ns = page.time_enabled;
    out.running_ns = page.time_running;
    if (with_times) {
      if (!page.cap_user_time) return false;
      // An event that is on a counter runs and is enabled, so both times advance alike.
      const std::uint64_t since = SinceUpdate(page, instructions.read_clock());
      out.enabled_ns += since;
      out.running_ns += since;
    }
    const std::uint64_t counted = instructions.read_counter(index - 1);
    out.value = static_cast<std::uint64_t>(page.offset) + SignExtended(counted, page.pmc_width);
    CompilerBarrier();
    if ((sequence & 1) == 0 && __atomic_load_n(lock, __ATOMIC_RELAXED) == sequence) return true;
  }
  return false;
}

}  // namespace csink

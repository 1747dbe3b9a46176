#pragma once

#include <linux/perf_event.h>

#include <cstdint>

namespace csink {

/// What one event says at one moment.
struct RawCount {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

/// The instructions that read a counter and the time stamp counter, so that a test can stand in.
struct CounterInstructions {
  /// Counter `index` (perf_event_mmap_page.index - 1): rdpmc; pmevcntr<index>_el0, 31: pmccntr_el0.
  std::uint64_t (*read_counter)(std::uint32_t index) noexcept;
  /// What time_cycles counts in: rdtsc; cntvct_el0.
  std::uint64_t (*read_clock)() noexcept;
};

/// This processor's own.
const CounterInstructions& NativeCounterInstructions() noexcept;

/// Reads an event of the calling thread without a system call, as linux/perf_event.h describes it
/// at perf_event_mmap_page: under the page's sequence lock, the counter's `pmc_width` bits sign
/// extended and added to `offset`, so that counters narrower than 64 bits never show.
///
/// False: ask the kernel. The page says so (no cap_user_rdpmc, index 0: not on a counter now), or
/// the times are needed (`with_times`) and the page has no clock (no cap_user_time).
/// Without `with_times` the times are those of the kernel's last update.
/// Threads: the one that the event counts. Signals: safe.
bool UserRead(const perf_event_mmap_page& page, const CounterInstructions& instructions,
              bool with_times, RawCount& out) noexcept;

}  // namespace csink

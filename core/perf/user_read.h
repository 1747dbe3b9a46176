#pragma once

#include <linux/perf_event.h>

#include <cstdint>

namespace csink {

/// One reading of an event: its count, and the times that it was enabled and on a counter.
struct RawCount {
  /// Events, or ns for a clock, since the event was opened or reset.
  std::uint64_t value = 0;
  /// More than running_ns where the event did not have a counter all the time (multiplexing).
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
};

/// The instructions that read a counter and the clock, as pointers, so that a test can replace
/// them.
struct CounterInstructions {
  /// Reads counter `index` (perf_event_mmap_page.index - 1): rdpmc; on aarch64 pmevcntr<index>_el0,
  /// and pmccntr_el0 for index 31.
  std::uint64_t (*read_counter)(std::uint32_t index) noexcept;
  /// Reads the clock in whose units the page's time_cycles counts: rdtsc; on aarch64 cntvct_el0.
  std::uint64_t (*read_clock)() noexcept;
};

/// The instructions of this processor. They fault where the kernel does not permit them, so
/// UserRead executes them only where the page says that they are permitted.
const CounterInstructions& NativeCounterInstructions() noexcept;

/// Reads an event of the calling thread without a system call, by the protocol that
/// linux/perf_event.h describes at perf_event_mmap_page: inside the page's sequence lock, the
/// `pmc_width` bits of the counter are sign-extended and added to `offset`, so that the result has
/// 64 bits whatever the counter's width.
///
/// Returns false if the kernel must be asked: the page does not permit reads (cap_user_rdpmc), the
/// event is not on a counter now (index 0), or `with_times` is set and the page has no clock
/// (cap_user_time). Without `with_times` the times in `out` are those of the kernel's last update.
/// Threads: only the thread that the event counts. Signals: safe.
bool UserRead(const perf_event_mmap_page& page, const CounterInstructions& instructions,
              bool with_times, RawCount& out) noexcept;

}  // namespace csink

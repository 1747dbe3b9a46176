#pragma once

#include <cstdint>

#include "core/perf/kernel.h"
#include "core/util/text.h"

/// File: the kernel's limit of samples a second (kernel.perf_event_max_sample_rate) and its
/// explanation.

namespace csink::agent {

/// The limits of this machine.
struct RateLimit {
  std::uint64_t max_hz = 0;  ///< kernel.perf_event_max_sample_rate; 0: cannot be read
  /// kernel.perf_cpu_time_max_percent: above this share of the CPU time in interrupts the kernel
  /// lowers max_hz; 0 and 100: it never does
  std::uint64_t cpu_percent = 0;
};

/// Asks `kernel` for the limit, and reads the percentage from /proc/sys/kernel. A number that
/// cannot be read is 0. Threads: any.
RateLimit ReadRateLimit(Kernel& kernel) noexcept;

/// The kernel's default limit (kernel/events/core.c).
inline constexpr std::uint64_t kUsualMaxHz = 100'000;

/// The row of the limit.
struct LimitText {
  /// The limit in words; "cannot be read" if max_hz is 0
  Text<200> value;
  Text<400> advice;  ///< Lines of advice; "" if the limit is at least the default
};

/// Describes the limit, whether the kernel lowers it, and how to raise it to the default. Advice is
/// given only below kUsualMaxHz.
LimitText ExplainRateLimit(const RateLimit& limit) noexcept;

}  // namespace csink::agent

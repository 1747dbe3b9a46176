#pragma once

#include <cstdint>

#include "core/util/text.h"

/// File: the kernel's limit of samples a second (kernel.perf_event_max_sample_rate) and its
/// explanation.

namespace csink::agent {

struct RateLimit {
  std::uint64_t max_hz = 0;       ///< kernel.perf_event_max_sample_rate; 0: cannot be read
  std::uint64_t cpu_percent = 0;  ///< kernel.perf_cpu_time_max_percent; 0, 100: limit is fixed
};

RateLimit ReadRateLimit() noexcept;

/// The kernel's default limit (kernel/events/core.c).
inline constexpr std::uint64_t kUsualMaxHz = 100'000;

struct LimitText {
  Text<200> value;
  Text<400> advice;  ///< Lines of advice; "" if the limit is at least the default
};

/// Describes the limit, whether the kernel lowers it, and what to set.
LimitText ExplainRateLimit(const RateLimit& limit) noexcept;

}  // namespace csink::agent

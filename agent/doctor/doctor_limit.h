#pragma once

#include <cstdint>

#include "core/util/text.h"

/// File: kernel.perf_event_max_sample_rate, explained.

namespace csink::agent {

struct RateLimit {
  std::uint64_t max_hz = 0;       ///< kernel.perf_event_max_sample_rate; 0: cannot be read
  std::uint64_t cpu_percent = 0;  ///< kernel.perf_cpu_time_max_percent; 0 or 100: no lowering
};

RateLimit ReadRateLimit() noexcept;

/// What a new machine has (kernel/events/core.c).
inline constexpr std::uint64_t kUsualMaxHz = 100'000;

struct LimitText {
  Text<200> value;
  Text<400> advice;  ///< Lines; "" where the limit is as high as on a new machine
};

/// The limit, what the kernel does with it and what to set.
LimitText ExplainRateLimit(const RateLimit& limit) noexcept;

}  // namespace csink::agent

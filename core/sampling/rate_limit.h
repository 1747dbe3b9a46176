#pragma once

#include "core/events/event_spec.h"
#include "core/perf/kernel.h"

namespace csink {

/// Lowers sampling frequencies in `events` to half of kernel.perf_event_max_sample_rate. The kernel
/// throttles an event that interrupts more often in a tick than the limit allows, and it lowers the
/// limit by itself when interrupts take too long; half of it leaves a margin. Where the user stated
/// the higher rate (rate_given), a sentence is appended to `complaint`. Fixed periods are not
/// changed: how often they interrupt cannot be known beforehand. An unreadable limit changes
/// nothing. Threads: any. Signals: safe.
void FitRates(Kernel& kernel, EventList& events, EventComplaint& complaint) noexcept;

/// The highest frequency in Hz that FitRates leaves where the kernel's limit is `limit_hz`: half of
/// the limit, at least 1.
constexpr std::uint64_t FittingHz(std::uint64_t limit_hz) noexcept {
  return limit_hz > 1 ? limit_hz / 2 : 1;
}

}  // namespace csink

#pragma once

#include "core/events/event_spec.h"
#include "core/perf/kernel.h"

namespace csink {

/// Lowers the frequencies of `events` to half of kernel.perf_event_max_sample_rate: an event that
/// interrupts more often than the limit allows in a tick is throttled, and the kernel lowers the
/// limit by itself when interrupts take too long. Where somebody stated the higher rate,
/// `complaint` is extended by a sentence. Fixed periods stay: how often they interrupt is not known
/// beforehand. A limit that cannot be read changes nothing. Threads: any. Signals: safe.
void FitRates(Kernel& kernel, EventList& events, EventComplaint& complaint) noexcept;

/// The highest frequency that FitRates leaves at this limit.
constexpr std::uint64_t FittingHz(std::uint64_t limit_hz) noexcept {
  return limit_hz > 1 ? limit_hz / 2 : 1;
}

}  // namespace csink

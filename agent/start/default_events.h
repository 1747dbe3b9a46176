#pragma once

#include "core/events/event_spec.h"

namespace csink::agent {

/// The events that are sampled when CSINK_EVENTS names none. Cycles, at kDefaultCounterHz, where a
/// hardware PMU has them and they are cheap (event_cost.h); otherwise the task clock, with a period
/// of kDefaultClockPeriodNs ns of CPU time. Threads: any. Signals: safe.
EventSpec TaskClock() noexcept;
EventSpec Cycles() noexcept;

}  // namespace csink::agent

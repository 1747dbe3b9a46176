#pragma once

#include "agent/start/doctor_limit.h"
#include "core/events/event_spec.h"
#include "core/perf/counting_obstacles.h"
#include "core/perf/kernel.h"
#include "core/util/text.h"

/// File: tries what an event does on this machine. Leaves nothing open.
/// Threads: one. Signals: not safe.

namespace csink::agent {

/// What is known of the machine before an event is tried.
struct TrialMachine {
  /// Virtual or not, rights and filters (core/perf/counting_obstacles.h)
  MachineFacts facts;
  RateLimit limit;
  bool has_cycles = false;  ///< The kernel opens cycles, so it supports the PMU
};

/// Reads the facts and the limit, and tries whether the kernel opens cycles.
TrialMachine ReadTrialMachine(Kernel& kernel) noexcept;

/// Opens `spec` for sampling in the calling thread, as the agent would, and closes it. Returns 0 or
/// the errno. A frequency above the limit is tried at half of the limit, as the agent does.
int TrySampling(Kernel& kernel, const EventSpec& spec, const RateLimit& limit) noexcept;

/// The reason why TrySampling returned `error`, as words that follow a name: "not an event of this
/// machine's PMU". Tries further opens to find the reason: a plain counter in the thread, and for a
/// hardware event a counter of CPU 0.
Text<200> WhyNotSampled(Kernel& kernel, const EventSpec& spec, int error,
                        const TrialMachine& machine) noexcept;

/// The reason why an event is left out of a run, for the agent's message. `error`: the result of
/// arming the event. Reads the machine's facts anew, so for rare use.
Text<200> WhyLeftOut(Kernel& kernel, const EventSpec& spec, const Error& error) noexcept;

/// The result of TryCounting.
enum class Counting : unsigned char {
  kRefused,  ///< The event could not be opened or read
  kMoved,    ///< The event counted
  kHeld,     ///< The event never got a counter: another program holds them
  kStill,    ///< The event had a counter that did not move
};

/// Counts `spec` in user mode of the calling thread while `work` runs. kHeld and kStill are
/// distinguished by the time for which the event had a counter.
Counting TryCounting(Kernel& kernel, const EventSpec& spec, void (*work)()) noexcept;

/// 100,000 multiplications in user mode, about 100 us: enough for cycles and instructions to count.
void ShortLoop();

}  // namespace csink::agent

#pragma once

#include "agent/doctor/doctor_limit.h"
#include "core/events/event_spec.h"
#include "core/perf/counting_obstacles.h"
#include "core/perf/kernel.h"
#include "core/util/text.h"

/// File: what an event does on this machine, found by trying. Leaves nothing open.
/// Threads: one. Signals: not safe.

namespace csink::agent {

/// What is known of the machine before an event is tried.
struct TrialMachine {
  MachineFacts facts;
  RateLimit limit;
  bool has_cycles = false;  ///< The kernel drives a PMU: it opens cycles
};

TrialMachine ReadTrialMachine(Kernel& kernel) noexcept;

/// 0, or the errno of opening `spec` for sampling in the calling thread. A frequency above the
/// limit is tried at half of it: the agent lowers it, too.
int TrySampling(Kernel& kernel, const EventSpec& spec, const RateLimit& limit) noexcept;

/// Why it failed, as words that follow a name: "not an event of this machine's PMU".
Text<200> WhyNotSampled(Kernel& kernel, const EventSpec& spec, int error,
                        const TrialMachine& machine) noexcept;

/// Why an event is left out of a run, for the agent's line: `error` is what arming it answered.
Text<200> WhyLeftOut(Kernel& kernel, const EventSpec& spec, const Error& error) noexcept;

enum class Counting : unsigned char {
  kRefused,  ///< It could not be opened or read
  kMoved,    ///< It counted
  kHeld,     ///< It never came to a counter: another program holds them
  kStill,    ///< It was on a counter, and that stood still
};

/// Counts `spec` in user mode during `work`.
Counting TryCounting(Kernel& kernel, const EventSpec& spec, void (*work)()) noexcept;

/// Some 100 us of arithmetic in user mode.
void ShortLoop();

}  // namespace csink::agent

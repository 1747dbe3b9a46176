#pragma once

#include <cstdint>

#include "agent/process/start_state.h"
#include "core/events/event_spec.h"
#include "core/util/text.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// File: a process that used CPU time without a single sample.

/// User time in ns from which on a process without a sample prints a line: 0.1 s. At the default
/// clock of 1 kHz 100 samples would be expected, so that none is not chance.
inline constexpr std::uint64_t kBurnedNs = 100'000'000;

/// True if this image has no sample although its user time is at least kBurnedNs, and `min_samples`
/// periods of the default clock. `user_ns` receives the user time of this image without pauses,
/// since `start`. Must not be called in a sandbox: it makes a system call. Threads: any. Signals:
/// safe.
bool BurnedForNothing(const Collector& collector, const StartState& start,
                      std::uint64_t min_samples, std::uint64_t& user_ns) noexcept;

/// Says of `user_ns` ns of user time, in which none of `events` gave a sample, what happened and
/// what the user can do. One line without a line end. The advice depends on the events: a clock
/// that gave nothing, a hardware event that another program may hold, or an event that did not
/// reach one period. Threads: any. Signals: safe.
Text<512> NothingSampledLine(const EventList& events, std::uint64_t user_ns) noexcept;

}  // namespace csink::agent

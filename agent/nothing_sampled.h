#pragma once

#include <cstdint>

#include "core/events/event_spec.h"
#include "core/util/text.h"

namespace csink::agent {

/// User time in ns from which on a process without a sample prints a line: 0.1 s. At the default
/// clock of 1 kHz 100 samples would be expected, so that none is not chance.
inline constexpr std::uint64_t kBurnedNs = 100'000'000;

/// Says of `user_ns` ns of user time, in which none of `events` gave a sample, what happened and
/// what the user can do. One line without a line end. The advice depends on the events: a clock
/// that gave nothing, a hardware event that another program may hold, or an event that did not
/// reach one period. Threads: any. Signals: safe.
Text<512> NothingSampledLine(const EventList& events, std::uint64_t user_ns) noexcept;

}  // namespace csink::agent

#pragma once

#include <cstdint>

#include "core/events/event_spec.h"
#include "core/util/text.h"

namespace csink::agent {

/// User time from which on it is worth a line that nothing was sampled.
inline constexpr std::uint64_t kBurnedNs = 100'000'000;

/// What to say of `user_ns` in which none of `events` gave a sample: what happened and what to do,
/// one line without its end. Signals: safe.
Text<512> NothingSampledLine(const EventList& events, std::uint64_t user_ns) noexcept;

}  // namespace csink::agent

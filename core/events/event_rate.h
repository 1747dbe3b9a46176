#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

/// File: how often an event is sampled: what stands behind the '@'.
/// Signals: safe.

namespace csink {

/// A period (> 0) or a frequency (> 0), never both; both 0: not given.
struct EventRate {
  std::uint64_t period = 0;
  std::uint64_t frequency_hz = 0;
};

/// "1000003", "2M", "4kHz". Errors: kInvalid, with a complaint.
Result<EventRate> ParseEventRate(std::string_view text, EventComplaint& complaint) noexcept;

/// Fills period or frequency_hz of a spec whose kind and name are known. A rate that
/// was not given becomes kDefaultCounterHz for an event that needs a counter, else
/// `default_period`; a clock's frequency becomes a prime
/// period that gives at most as many samples. Rates above kMaxClockHz are
/// clamped, and `complaint` is extended by a warning. Errors: kInvalid for what
/// no machine can do.
Result<void> ApplyEventRate(EventRate rate, std::uint64_t default_period, EventSpec& spec,
                            EventComplaint& complaint) noexcept;

/// The least prime >= n, for n <= 2^40; n itself above.
std::uint64_t PrimeFrom(std::uint64_t n) noexcept;

/// Shows bytes that a user gave: cut after 100, unprintable ones as '?'.
void AddQuoted(EventComplaint& complaint, std::string_view text) noexcept;

}  // namespace csink

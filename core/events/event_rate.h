#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

/// File: sampling rates of events: the text after '@'.
/// Threads: any. Signals: safe.

namespace csink {

/// A period (in events, or ns for a clock) or a frequency, never both; both 0: not given.
struct EventRate {
  std::uint64_t period = 0;
  std::uint64_t frequency_hz = 0;
};

/// Parses "1000003", "2M" (periods) or "4kHz" (a frequency). Errors: kInvalid, with a sentence in
/// `complaint`.
Result<EventRate> ParseEventRate(std::string_view text, EventComplaint& complaint) noexcept;

/// Sets period or frequency_hz of a spec whose kind and name are set. A rate that is not given
/// becomes kDefaultCounterHz for an event that needs a counter, else `default_period`. A clock's
/// frequency becomes a prime period that gives at most as many samples. Rates above kMaxClockHz are
/// clamped, and a warning is appended to `complaint`. Errors: kInvalid (a rate that no machine can
/// sample), with a sentence in `complaint`.
Result<void> ApplyEventRate(EventRate rate, std::uint64_t default_period, EventSpec& spec,
                            EventComplaint& complaint) noexcept;

/// The smallest prime >= n, for n up to 2^40; for larger n, n itself.
std::uint64_t PrimeFrom(std::uint64_t n) noexcept;

/// Appends text of the user's in quotes: cut after 100 bytes, unprintable bytes as '?'.
void AddQuoted(EventComplaint& complaint, std::string_view text) noexcept;

}  // namespace csink

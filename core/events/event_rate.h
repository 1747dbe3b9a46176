#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

/// File: sampling rates of events: the text after '@', and what an event gets without such a text.
/// Threads: any. Signals: safe.

namespace csink {

/// The rate that a user stated: a period (in events, or ns of CPU time for a clock) or a frequency
/// in samples a second, never both. Both 0: no rate was given.
struct EventRate {
  std::uint64_t period = 0;
  std::uint64_t frequency_hz = 0;
};

/// Parses "1000003", "2M" (periods) or "4kHz" (a frequency); "Hz" in any case, suffixes as
/// ParseCount. Does not look at the event. Errors: kInvalid (not a number, 0, or 2^63 and more),
/// with a sentence in `complaint`, which replaces its text.
Result<EventRate> ParseEventRate(std::string_view text, EventComplaint& complaint) noexcept;

/// Sets period, frequency_hz and rate_given of a spec whose kind, type and name are set. A rate
/// that is not given becomes kDefaultCounterHz for an event that needs a counter, else
/// `default_period`. A clock's frequency becomes a prime period that gives at most as many samples.
/// Rates above kMaxClockHz are clamped, and a warning is appended to `complaint`: a clock's by
/// period or frequency, any other event's by frequency only.
/// Errors: kInvalid, with a sentence in `complaint`: a rate of 2^63 or more, or a period below
/// kMinCyclesPeriod for an event that occurs about as often as cycles.
Result<void> ApplyEventRate(EventRate rate, std::uint64_t default_period, EventSpec& spec,
                            EventComplaint& complaint) noexcept;

/// The smallest prime that is at least n, for n up to 2^40; for larger n, n itself. At 2^40 a
/// number that is tried takes up to half a million divisions.
std::uint64_t PrimeFrom(std::uint64_t n) noexcept;

/// Appends text of the user's in double quotes: cut after 100 bytes ("..." stands for the rest),
/// unprintable and non-ASCII bytes as '?', so that a complaint stays one printable line.
void AddQuoted(EventComplaint& complaint, std::string_view text) noexcept;

}  // namespace csink

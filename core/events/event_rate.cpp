#include "core/events/event_rate.h"

#include "core/util/parse.h"

// File: a rate is parsed without regard to its event (ParseEventRate), and then checked against it
// (ApplyEventRate): a clock has other limits than an event that comes with each cycle.

namespace csink {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
// The shortest period of a clock: 100,000 ns.
constexpr std::uint64_t kMinClockPeriodNs = kSecondNs / kMaxClockHz;
constexpr std::uint64_t kPeriodLimit = std::uint64_t{1} << 63;  // the kernel refuses more (EINVAL)
// Ends the complaint about a text that is not a rate.
constexpr std::string_view kHowTo =
    "; give a period (N, Nk, NM or NG; in ns for a clock) or a frequency (NHz or NkHz)";

constexpr Error kBadRate{Errc::kInvalid, 0, "rate of an event is not valid"};

// Removes "Hz" from the end of the text, in any case. Returns false, with the text unchanged, if
// there is none: the number is a period then.
bool TakeHz(std::string_view& text) noexcept {
  if (text.size() < 2) return false;
  const char h = text[text.size() - 2];
  const char z = text[text.size() - 1];
  if ((h != 'H' && h != 'h') || (z != 'z' && z != 'Z')) return false;
  text.remove_suffix(2);
  return true;
}

// Replaces the complaint, which may hold a warning of an earlier event of the list.
Error BadRate(const EventSpec& spec, std::string_view why, EventComplaint& complaint) noexcept {
  complaint.Clear();
  complaint.Add("the rate of event ");
  AddQuoted(complaint, spec.name);
  complaint.Add(" is not valid: ").Add(why);
  return kBadRate;
}

// Appends to the complaint, after the warnings of earlier events. `now` is the clamped value.
void Warn(const EventSpec& spec, std::string_view what, std::uint64_t now, std::string_view unit,
          EventComplaint& complaint) noexcept {
  if (complaint.size() != 0) complaint.Add("; ");
  complaint.Add(spec.name).Add(": ").Add(what).Add(" is clamped to 10 kHz: ").Number(now).Add(unit);
}

/// Whether the event occurs about as often as cycles. With an interrupt for every few of them the
/// program would make no progress.
bool ComesWithTheCycles(const EventSpec& spec) noexcept {
  if (spec.kind == EventClass::kCycles || spec.kind == EventClass::kInstructions) return true;
  if (spec.type != PERF_TYPE_HARDWARE) return false;
  switch (spec.config) {
    case PERF_COUNT_HW_BUS_CYCLES:
    case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
    case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
    case PERF_COUNT_HW_REF_CPU_CYCLES:
      return true;
    default:
      return false;
  }
}

}  // namespace

void AddQuoted(EventComplaint& complaint, std::string_view text) noexcept {
  // The complaint has 512 bytes; a longer quotation would push out the rest of the sentence.
  constexpr std::size_t kMax = 100;
  complaint.Add('"');
  for (std::size_t i = 0; i < text.size() && i < kMax; ++i) {
    complaint.Add(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
  }
  complaint.Add(text.size() > kMax ? "...\"" : "\"");
}

std::uint64_t PrimeFrom(std::uint64_t n) noexcept {
  if (n <= 2) return 2;
  if (n > (std::uint64_t{1} << 40)) return n;  // trial division would take too long
  for (n |= 1;; n += 2) {
    bool prime = true;
    // At most half a million divisions for 2^40, some milliseconds, once for each event at the
    // start.
    for (std::uint64_t d = 3; prime && d * d <= n; d += 2) prime = n % d != 0;
    if (prime) return n;
  }
}

Result<EventRate> ParseEventRate(std::string_view text, EventComplaint& complaint) noexcept {
  // The unit of a rate decides between period and frequency, so it is taken off first.
  std::string_view number = text;
  const bool hz = TakeHz(number);
  const Result<std::uint64_t> value = ParseCount(number);
  if (value && *value != 0 && *value < kPeriodLimit) {
    return hz ? EventRate{0, *value} : EventRate{*value, 0};
  }
  complaint.Clear();
  complaint.Add("rate ");
  AddQuoted(complaint, text);
  // kLimit is ParseCount's overflow.
  if (value || value.error().code == Errc::kLimit) {
    complaint.Add(value && *value == 0 ? " is not valid: it must not be 0"
                                       : " is not valid: too large");
  } else {
    complaint.Add(" is not a rate").Add(kHowTo);
  }
  return kBadRate;
}

Result<void> ApplyEventRate(EventRate rate, std::uint64_t default_period, EventSpec& spec,
                            EventComplaint& complaint) noexcept {
  spec.period = 0;
  spec.frequency_hz = 0;
  spec.rate_given = rate.period != 0 || rate.frequency_hz != 0;
  // With a frequency the kernel adapts the period to how often this event occurs on this processor.
  if (!spec.rate_given && NeedsCounter(spec)) {
    spec.frequency_hz = kDefaultCounterHz;
    return {};
  }
  if (rate.period >= kPeriodLimit || rate.frequency_hz >= kPeriodLimit) {
    return BadRate(spec, "too large", complaint);
  }
  // A clock's events are nanoseconds, so a frequency is a period, and a prime one can be chosen.
  // The kernel would choose any.
  if (spec.kind == EventClass::kClock && rate.frequency_hz != 0) {
    if (rate.frequency_hz > kMaxClockHz) {
      spec.period = PrimeFrom(kMinClockPeriodNs);
      Warn(spec, "the frequency", spec.period, " ns of CPU time", complaint);
    } else {
      // A prime period does not stay in step with loops of the program.
      // Rounded up, so that the rate is not above the one that was asked for.
      spec.period = PrimeFrom((kSecondNs + rate.frequency_hz - 1) / rate.frequency_hz);
    }
    return {};
  }
  if (rate.frequency_hz != 0) {
    spec.frequency_hz = rate.frequency_hz;
    if (spec.frequency_hz > kMaxClockHz) {
      spec.frequency_hz = kMaxClockHz;
      Warn(spec, "the frequency", spec.frequency_hz, " Hz", complaint);
    }
    return {};
  }
  spec.period = rate.period != 0 ? rate.period : default_period;
  if (spec.kind == EventClass::kClock && spec.period < kMinClockPeriodNs) {
    spec.period = PrimeFrom(kMinClockPeriodNs);
    Warn(spec, "the period", spec.period, " ns of CPU time", complaint);
  }
  // Only fixed periods are checked: the kernel adapts a frequency to what it can deliver.
  if (ComesWithTheCycles(spec) && spec.period < kMinCyclesPeriod) {
    return BadRate(spec,
                   "taking a sample takes longer than the period; use a period of 100 or more",
                   complaint);
  }
  return {};
}

}  // namespace csink

#include "symbolizer/report/verdict/explained.h"

#include <linux/perf_event.h>

#include <algorithm>

#include "symbolizer/report/verdict/words.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Events that certainly occur while user code runs; a count of 0 means that the counter did not
/// work.
bool ComesWithTheTime(EventClass kind) {
  return kind == EventClass::kCycles || kind == EventClass::kInstructions;
}

/// The factors of the product in explained.h, each 0..1.
struct Parts {
  double running = 0;
  double throttled = 0;
  double unsampled = 0;
  double Share() const { return (running - throttled) * (1 - unsampled); }
};

/// Whether the spool has the event's times and they are long enough to be judged.
bool IsKnown(const EventTotals& event) { return Seconds(event.due_ns) >= kLeastDueSeconds; }

/// The parts of the product, for an event whose times are known.
Parts PartsOf(const EventTotals& event) {
  Parts parts;
  const auto due = static_cast<double>(event.due_ns);
  const auto sampled = static_cast<double>(event.weight);
  const double counted = sampled + static_cast<double>(event.unsampled);
  // All parts 0: the counter did not work, so nothing of the time is explained.
  if (counted == 0 && ComesWithTheTime(event.kind)) return parts;
  // Throttled time is a part of the running time, so its part is at most the running part.
  parts.running = std::min(1.0, static_cast<double>(event.running_ns) / due);
  parts.throttled = std::min(parts.running, static_cast<double>(event.throttled_ns) / due);
  parts.unsampled = counted > 0 ? static_cast<double>(event.unsampled) / counted : 0;
  return parts;
}

}  // namespace

std::optional<Explained> Explain(const EventTotals& event) {
  // Software events need no counter, and older files do not have the times.
  if (!IsKnown(event)) return std::nullopt;
  const Parts parts = PartsOf(event);
  Explained result;
  const std::string modifiers = PrivilegeModifiers(event.name);
  result.event = event.name.substr(0, event.name.size() - modifiers.size() - !modifiers.empty());
  result.share = parts.Share();
  result.running_part = parts.running;
  result.throttled_part = parts.throttled;
  result.unsampled_part = parts.unsampled;
  // Half of the kernel's limit, at least 1 (docs/design/sampling.md).
  if (event.rate_limit_hz != 0) {
    result.fitting_hz = std::max<std::uint64_t>(1, event.rate_limit_hz / 2);
  }
  result.has_fixed_period = event.frequency_hz == 0;
  return result;
}

double MissingPart(const EventTotals& event) {
  if (!IsKnown(event)) return 0;
  const Parts parts = PartsOf(event);
  // Relative to the time on a counter: multiplexing is not part of it.
  return parts.running > 0 ? parts.throttled / parts.running : 0;
}

double ScaleOf(const EventTotals& event) {
  const double share = IsKnown(event) ? PartsOf(event).Share() : 0;
  return share > 0 ? std::min(kMostScale, 1 / share) : 1;
}

}  // namespace csink::report

#include "core/events/event_text.h"

#include "core/events/event_rate.h"
#include "core/util/parse.h"

// File: an event string is split into views, PMU::BASE:ATTRIBUTES@RATE; nothing is looked up or
// checked here.

namespace csink {
namespace {

/// Takes the text before the first `separator` (or all of it) from `rest`. Returns true if there
/// was a separator.
bool TakeBefore(char separator, std::string_view& rest, std::string_view& token) noexcept {
  const std::size_t size = rest.size();
  token = NextToken(rest, separator);
  return token.size() < size;
}

}  // namespace

bool Tokens::Next(std::string_view& token) noexcept {
  // An empty part is a part, so the end is known by the flag and not by an empty rest.
  if (!more_) return false;
  more_ = TakeBefore(separator_, rest_, token);
  return true;
}

bool EventModifiers::Take(std::string_view token) noexcept {
  if (token.empty()) return false;
  // Works on a copy, so that a refused token changes nothing.
  EventModifiers taken = *this;
  for (char c : token) {
    if (c == 'u') {
      taken.user = true;
    } else if (c == 'k') {
      taken.kernel = true;
      // precise_ip has two bits (linux/perf_event.h).
    } else if (c == 'p' && taken.precise < 3) {
      ++taken.precise;
    } else {
      return false;
    }
  }
  *this = taken;
  return true;
}

void EventModifiers::ApplyTo(EventSpec& spec) const noexcept {
  // One stated level excludes the other: ":k" means kernel alone.
  if (user || kernel) {
    spec.exclude_user = !user;
    spec.exclude_kernel = !kernel;
    spec.level_given = true;
  }
  if (precise != 0) {
    spec.precise = precise;
    spec.precise_given = true;
  }
}

EventText SplitEvent(std::string_view item) noexcept {
  EventText event;
  std::string_view rest = item;
  std::string_view whole;
  // First: a rate stands at the end of the whole, also behind attributes.
  event.has_rate = TakeBefore('@', rest, whole);
  event.rate = TrimmedBlanks(rest);
  event.whole = whole = TrimmedBlanks(whole);
  // libpfm4's separator of PMU and event. A single ':' separates attributes, so both of its bytes
  // are compared.
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    if (whole[i] != ':' || whole[i + 1] != ':') continue;
    event.pmu = std::string_view(whole.data(), i);
    whole.remove_prefix(i + 2);
    break;
  }
  // "cycles:" has attributes, of which the first is empty; that is a mistake that the caller
  // reports.
  event.has_attributes = TakeBefore(':', whole, event.base);
  event.attributes = whole;
  return event;
}

EventComplaint& ComplainOf(const EventText& event, EventComplaint& complaint) noexcept {
  complaint.Clear();
  complaint.Add("event ");
  AddQuoted(complaint, event.whole);
  return complaint;
}

}  // namespace csink

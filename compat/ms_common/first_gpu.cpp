#include <papi.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "compat/apapi/include/apapi_csink.h"
#include "compat/ms_common/field_rules.h"

/// File: which GPU the one GPU of libmeasure is. Names of events are "nvml:::CARD:METRIC" or
/// "nvml:::CARD:device_N:METRIC"; a card's number is N, or follows from the order of the cards.

namespace csink::ms {
namespace {

constexpr std::string_view kComponent = "nvml:::", kDevice = ":device_";

/// The event's name up to the metric; "" if the event is not one of a GPU.
std::string_view PrefixOf(std::string_view event) {
  // The metric has no colon, but the name of a card may have one.
  const std::size_t colon = event.rfind(':');
  if (!event.starts_with(kComponent) || colon < kComponent.size()) return {};
  return event.substr(0, colon + 1);
}

/// The number after ":device_"; nullopt: the prefix has none.
std::optional<unsigned> NumberIn(std::string_view prefix) {
  // The last one: the name of a card may contain the same letters.
  const std::size_t place = prefix.rfind(kDevice);
  if (place == std::string_view::npos) return std::nullopt;
  const std::string_view digits = prefix.substr(place + kDevice.size());
  unsigned number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<std::string> GpuPrefixes() {
  std::vector<std::string> cards;
  const int component = csink_apapi_find_component("nvml");
  if (component < 0) return cards;
  int code = PAPI_NATIVE_MASK;
  int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
  for (; found == PAPI_OK; found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
    char name[PAPI_HUGE_STR_LEN] = "";
    if (PAPI_event_code_to_name(code, name) != PAPI_OK) continue;
    const std::string_view prefix = PrefixOf(name);
    // PAPI lists the events of a card together, so comparing with the last prefix finds duplicates.
    if (!prefix.empty() && (cards.empty() || cards.back() != prefix)) cards.emplace_back(prefix);
  }
  return cards;
}

unsigned DeviceNumber(std::string_view prefix, std::span<const std::string> cards) {
  if (const auto own = NumberIn(prefix)) return *own;
  unsigned next = 0;  // a card without a number follows the card before it
  for (const std::string& card : cards) {
    // The card's own number, but at least one more than that of the card before.
    const unsigned number = std::max(next, NumberIn(card).value_or(next));
    if (card == prefix) return number;
    next = number + 1;
  }
  return 0;
}

std::string FirstGpuPrefix(const apapi_eventset* set, std::span<const std::string> cards) {
  unsigned smallest = std::numeric_limits<unsigned>::max();
  std::string first;
  for (int i = 0; i < set->num_events; ++i) {
    const std::string_view prefix =
        PrefixOf(set->event_ops[i].event_name ? set->event_ops[i].event_name : "");
    if (prefix.empty()) continue;
    const unsigned number = DeviceNumber(prefix, cards);
    // Of equal numbers the first one stays.
    if (number >= smallest) continue;
    smallest = number;
    first = prefix;
  }
  return first;
}

}  // namespace csink::ms

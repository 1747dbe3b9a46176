#include "compat/utils/papi_native_avail/output.h"

/// File: the listing as JSON, from the same enumeration as the text (ForEachEvent).

namespace csink::utils::native {

using nlohmann::ordered_json;

ordered_json EventJson(const PAPI_event_info_t& event) {
  ordered_json object = {{"name", event.symbol},
                         {"code", event.event_code},
                         {"description", event.long_descr},
                         {"units", event.units}};
  if (const auto pattern = PatternOf(static_cast<int>(event.event_code))) {
    object["pattern"] = {{"type", pattern->type},
                         {"config", pattern->config},
                         {"config1", pattern->config1},
                         {"config2", pattern->config2}};
  }
  ordered_json& list = object["qualifiers"] = ordered_json::array();
  for (Qualifiers qualifiers(event); qualifiers.Next();) {
    list.push_back({{"name", qualifiers.name()}, {"description", qualifiers.description()}});
  }
  return object;
}

// The same events as the text, in the same order.
int ListJson(const Listing& listing, ordered_json& object) {
  ordered_json& events = object["events"] = ordered_json::array();
  // ForEachEvent tells each component before its events.
  const char* component_name = "";
  ForEachEvent(
      listing, [&](const PAPI_component_info_t& component) { component_name = component.name; },
      [&](const PAPI_event_info_t& event) {
        ordered_json one = {{"component", component_name}};
        // "component" stays the first key.
        one.update(EventJson(event));
        if (listing.checked) one["countable"] = IsCountable(event);
        events.push_back(std::move(one));
      });
  const std::size_t count = events.size();  // adding a member to `object` invalidates `events`
  object["count"] = count;
  return static_cast<int>(count);
}

}  // namespace csink::utils::native

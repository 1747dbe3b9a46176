#include "compat/utils/events.h"
#include "compat/utils/papi_avail/output.h"

/// File: the listing as JSON, from the same enumeration as the text (Walk).

namespace csink::utils::avail {
namespace {

using nlohmann::ordered_json;

// By the two highest bits of the code.
const char* KindOf(const PAPI_event_info_t& event) {
  const unsigned family = event.event_code & static_cast<unsigned>(PAPI_UE_MASK);
  if (family == static_cast<unsigned>(PAPI_UE_MASK)) return "user";
  return family == static_cast<unsigned>(PAPI_PRESET_MASK) ? "preset" : "native";
}

// The native events of a preset; none where it cannot be counted.
ordered_json TermsJson(const PAPI_event_info_t& event) {
  ordered_json terms = ordered_json::array();
  PAPI_event_info_t native;
  for (unsigned i = 0; i < event.count; ++i) {
    ordered_json term = {{"name", event.name[i]}, {"code", event.code[i]}};
    if (PAPI_get_event_info(static_cast<int>(event.code[i]), &native) == PAPI_OK) {
      term["description"] = native.long_descr;
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

// `possible` counts what is listed, as in the text.
void AddEvents(const Listing& listing, unsigned family, ordered_json& events, Counts& counts) {
  for (Walk walk(listing, family); walk.Next();) {
    // Unlike the text, which keeps PAPI's empty line (Walk).
    if (listing.available_only && !walk.available()) continue;
    ordered_json event = EventJson(walk.event());
    event["available"] = walk.available();
    events.push_back(std::move(event));
    ++counts.possible;
    counts.available += walk.available();
    counts.derived += IsDerived(walk.event());
  }
}

}  // namespace

ordered_json EventJson(const PAPI_event_info_t& event) {
  const char* kind = KindOf(event);
  ordered_json object = {{"kind", kind}, {"name", event.symbol}, {"code", event.event_code}};
  // A native event has none of the other facts.
  if (*kind == 'n') {
    object["description"] = event.long_descr;
    return object;
  }
  // The listing replaces this value where each event is tried (-c).
  object["available"] = event.count != 0;
  object["derived"] = IsDerived(event);
  object["short_description"] = event.short_descr;
  object["description"] = event.long_descr;
  object["note"] = event.note;
  object["derivation"] = event.derived;
  object["formula"] = event.postfix;
  object["natives"] = TermsJson(event);
  return object;
}

Counts ListJson(const Listing& listing, ordered_json& object) {
  Counts counts;
  ordered_json& events = object["events"] = ordered_json::array();
  AddEvents(listing, PAPI_PRESET_MASK, events, counts);
  AddEvents(listing, PAPI_UE_MASK, events, counts);
  object["counts"] = {
      {"possible", counts.possible}, {"available", counts.available}, {"derived", counts.derived}};
  return counts;
}

}  // namespace csink::utils::avail

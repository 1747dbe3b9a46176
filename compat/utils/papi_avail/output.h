#pragma once

#include <papi.h>

#include "compat/utils/json.h"
#include "compat/utils/papi_avail/listing.h"

namespace csink::utils::avail {

/// The object of an event, with its native events. A native event has kind, name, code and
/// description only.
nlohmann::ordered_json EventJson(const PAPI_event_info_t& event);

/// Adds "events" and "counts" to `object`. Returns the counts, as PrintEvents does.
Counts ListJson(const Listing& listing, nlohmann::ordered_json& object);

/// Prints one event (-e) in the layout of papi-tools 7.0. False: the event is unknown or cannot be
/// counted.
bool Explain(const char* name);

/// As Explain, as {"event": {...}} or {"error": ...}, added to `object`. Prints nothing.
bool ExplainJson(const char* name, nlohmann::ordered_json& object);

}  // namespace csink::utils::avail

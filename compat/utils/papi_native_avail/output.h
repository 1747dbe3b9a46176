#pragma once

#include <papi.h>

#include "compat/utils/json.h"
#include "compat/utils/papi_native_avail/listing.h"

namespace csink::utils::native {

/// The object of an event, with its qualifiers and the kernel's encoding (if it has one).
nlohmann::ordered_json EventJson(const PAPI_event_info_t& event);

/// Adds "events" and "count" to `object`. Returns the count.
int ListJson(const Listing& listing, nlohmann::ordered_json& object);

/// Prints one event (-e) in the layout of papi-tools 7.0, then all further information. False: it
/// is unknown.
bool Explain(const char* name);

/// As Explain, as {"event": {...}} or {"error": ...}, added to `object`. Both where the event lacks
/// a unit mask: its attributes are described, and the error says what is missing.
bool ExplainJson(const char* name, nlohmann::ordered_json& object);

}  // namespace csink::utils::native

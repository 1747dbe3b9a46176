#pragma once

#include <papi.h>

#include "compat/utils/json.h"
#include "compat/utils/papi_native_avail/listing.h"

namespace csink::utils::native {

/// One event with its qualifiers and its pattern.
nlohmann::ordered_json EventJson(const PAPI_event_info_t& event);

/// Adds "events" and "count", which it gives.
int ListJson(const Listing& listing, nlohmann::ordered_json& object);

}  // namespace csink::utils::native

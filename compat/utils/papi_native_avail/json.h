#pragma once

#include <papi.h>

#include "compat/utils/json.h"
#include "compat/utils/papi_native_avail/listing.h"

namespace csink::utils::native {

/// The object of an event, with its qualifiers and the kernel's encoding (if it has one).
nlohmann::ordered_json EventJson(const PAPI_event_info_t& event);

/// Adds "events" and "count" to `object`. Returns the count.
int ListJson(const Listing& listing, nlohmann::ordered_json& object);

}  // namespace csink::utils::native

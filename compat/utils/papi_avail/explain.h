#pragma once

#include "compat/utils/json.h"

namespace csink::utils::avail {

/// Prints one event (-e) in the layout of papi-tools 7.0. False: the event is unknown or cannot be
/// counted.
bool Explain(const char* name);

/// As Explain, as {"event": {...}} or {"error": ...}, added to `object`. Prints nothing.
bool ExplainJson(const char* name, nlohmann::ordered_json& object);

}  // namespace csink::utils::avail

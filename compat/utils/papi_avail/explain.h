#pragma once

#include "compat/utils/json.h"

namespace csink::utils::avail {

/// -e: one event in the layout of papi-tools 7.0. False when it is unknown or cannot be counted.
bool Explain(const char* name);

/// The same as {"event": {...}}, or {"error": ...}.
bool ExplainJson(const char* name, nlohmann::ordered_json& object);

}  // namespace csink::utils::avail

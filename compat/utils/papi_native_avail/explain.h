#pragma once

#include "compat/utils/json.h"

namespace csink::utils::native {

/// -e: one event as papi-tools 7.0 shows it, then all else that is known. False: it is unknown.
bool Explain(const char* name);

/// The same as {"event": {...}}, or {"error": ...}.
bool ExplainJson(const char* name, nlohmann::ordered_json& object);

}  // namespace csink::utils::native

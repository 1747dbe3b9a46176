#pragma once

#include "compat/utils/json.h"

namespace csink::utils::native {

/// Prints one event (-e) in the layout of papi-tools 7.0, then all further information. False: it
/// is unknown.
bool Explain(const char* name);

/// As Explain, as {"event": {...}} or {"error": ...}, added to `object`. Both where the event lacks
/// a unit mask: its attributes are described, and the error says what is missing.
bool ExplainJson(const char* name, nlohmann::ordered_json& object);

}  // namespace csink::utils::native

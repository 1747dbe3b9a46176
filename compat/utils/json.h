#pragma once

#include <nlohmann/json.hpp>

#include "compat/utils/tool.h"

namespace csink::utils {

/// How every tool's object begins: {"tool": "papi_avail", "papi_version": "7.0.0.0"}.
nlohmann::ordered_json JsonHead(const Tool& tool);

/// Prints an object for --json. Bytes that are no UTF-8 are replaced.
void PrintJson(const nlohmann::ordered_json& object);

/// An object whose "error" is what was said last; nothing where PrintJson was called.
void PrintErrorAsJson(const Tool& tool);

/// What PAPI's tools print in their header: system, processor, limits. {} when it is not told.
nlohmann::ordered_json HardwareJson();

}  // namespace csink::utils

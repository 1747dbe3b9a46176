#pragma once

#include <nlohmann/json.hpp>

#include "compat/utils/tool.h"

namespace csink::utils {

/// The beginning of each tool's object: {"tool": "papi_avail", "papi_version": "7.0.0.0"}. The
/// version is that of the header with which the tool was compiled.
nlohmann::ordered_json JsonHead(const Tool& tool);

/// Prints an object on stdout for --json. Bytes that are not UTF-8 are replaced by U+FFFD.
void PrintJson(const nlohmann::ordered_json& object);

/// Prints an object whose "error" is the last message (LastSaid). Prints nothing if PrintJson was
/// called: standard output then has its one object.
void PrintErrorAsJson(const Tool& tool);

/// The contents of the tools' head: system, processor, limits. An empty object if the hardware is
/// unknown. Frequencies in MHz; limits may be negative, as PAPI's error codes.
nlohmann::ordered_json HardwareJson();

}  // namespace csink::utils

#pragma once

#include "compat/utils/tool.h"

namespace csink::utils {

/// Prints the head of PAPI's tools: `title`, then versions, processor and limits between two rules
/// (layout of papi-tools 7.0). False, with a message: the hardware is unknown.
bool PrintHeader(const Tool& tool, const char* title);

}  // namespace csink::utils

#pragma once

#include "compat/utils/tool.h"

namespace csink::utils {

/// The block that PAPI's tools print first: `title`, then versions, processor and limits between
/// two lines (layout of papi-tools 7.0). False when the hardware is not told, which is said.
bool PrintHeader(const Tool& tool, const char* title);

}  // namespace csink::utils

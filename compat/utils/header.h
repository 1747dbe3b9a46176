#pragma once

#include "compat/utils/tool.h"

namespace csink::utils {

/// Prints the head of PAPI's tools on stdout: `title`, then versions, processor and limits between
/// two rules (layout of papi-tools 7.0). Returns false, with a message on stderr, if the library
/// does not know the hardware; nothing is printed on stdout then.
bool PrintHeader(const Tool& tool, const char* title);

}  // namespace csink::utils

#pragma once

#include <string>

#include "compat/utils/tool.h"

namespace csink::utils {

/// What --help prints: usage, options, exit codes.
std::string HelpText(const Tool& tool);

/// The manual page of section 1, in man(7)'s macros.
std::string ManPage(const Tool& tool);

}  // namespace csink::utils

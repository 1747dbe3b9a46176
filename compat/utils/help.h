#pragma once

#include <string>

#include "compat/utils/tool.h"

namespace csink::utils {

/// The text of --help: usage, options, exit codes.
std::string HelpText(const Tool& tool);

/// The manual page (section 1) with the macros of man(7).
std::string ManPage(const Tool& tool);

}  // namespace csink::utils

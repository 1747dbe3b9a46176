#pragma once

#include <string>

#include "compat/utils/tool.h"

namespace csink::utils {

/// The text of --help: usage, options, exit codes; filled to 80 columns and ended by a newline.
std::string HelpText(const Tool& tool);

/// The source of the manual page (section 1) with the macros of man(7), from the same table as the
/// help, so that both always agree.
std::string ManPage(const Tool& tool);

}  // namespace csink::utils

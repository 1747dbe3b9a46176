#pragma once

#include "compat/utils/options.h"
#include "compat/utils/tool.h"

namespace csink::utils {

/// For a tool that takes nothing but TESTS_QUIET, the word that PAPI's own test scripts pass to
/// every program. False: there is another operand, which is said.
bool TakesNothingElse(const Tool& tool, const Arguments& arguments);

}  // namespace csink::utils

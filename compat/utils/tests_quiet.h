#pragma once

#include "compat/utils/options.h"
#include "compat/utils/tool.h"

namespace csink::utils {

/// Checks the operands of a tool that accepts only TESTS_QUIET, the word that PAPI's test scripts
/// pass to every program. False, with a message: another operand.
bool TakesNothingElse(const Tool& tool, const Arguments& arguments);

}  // namespace csink::utils

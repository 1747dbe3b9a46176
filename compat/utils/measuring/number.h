#pragma once

#include "compat/utils/tool.h"

namespace csink::utils {

/// Parses an option's argument as a whole number from `least` to `most`. False, with a message: it
/// is not one. `what` names the argument in the message.
bool ReadNumber(const Tool& tool, const char* what, const char* text, long long least,
                long long most, long long& number);

}  // namespace csink::utils

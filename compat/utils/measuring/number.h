#pragma once

#include "compat/utils/tool.h"

namespace csink::utils {

/// Parses an option's argument as a whole decimal number from `least` to `most`. Returns false,
/// with a message, if it is not one or has anything behind it; `number` is then unchanged. `what`
/// names the argument in the message.
bool ReadNumber(const Tool& tool, const char* what, const char* text, long long least,
                long long most, long long& number);

}  // namespace csink::utils

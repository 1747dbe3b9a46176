#pragma once

#include "compat/utils/tool.h"

namespace csink::utils {

/// An option's argument as a whole number from `least` to `most`. False: it is none, which is said.
bool ReadNumber(const Tool& tool, const char* what, const char* text, long long least,
                long long most, long long& number);

}  // namespace csink::utils

#pragma once

#include <vector>

#include "compat/apapi/text_file.h"

namespace csink::apapi {

/// The names of a list of events, which lie in `text`: each line that is not empty and does not
/// begin with '#'; the first line always. Nothing is trimmed.
std::vector<char*> SplitEventList(char* text);

/// Upstream takes no file below 5 bytes for a list.
bool IsTooShort(const char* text) noexcept;

}  // namespace csink::apapi

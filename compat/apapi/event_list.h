#pragma once

#include <vector>

#include "compat/apapi/text_file.h"

namespace csink::apapi {

/// The event names of a list, one a line. Empty lines and lines that begin with '#' are skipped,
/// except that a first line which is not empty is always an event. Blanks are not removed; a
/// carriage return at the end of a line is. The names point into `text`, whose line ends are
/// replaced by NUL.
std::vector<char*> SplitEventList(char* text);

/// Whether the text has fewer than 5 bytes. Upstream does not accept such a file as a list (-1).
bool IsTooShort(const char* text) noexcept;

}  // namespace csink::apapi

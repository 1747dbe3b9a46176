#pragma once

#include <string>

namespace csink::apapi {

/// One line on stderr, in one write: `who: text`.
void Say(const char* who, const std::string& text);

/// Whether APAPI_VERBOSE or APAPI_SOFTFAIL is on: a number (base 0, nothing behind it) that is not
/// 0.
bool IsOn(const char* variable);

}  // namespace csink::apapi

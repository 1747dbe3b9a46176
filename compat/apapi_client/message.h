#pragma once

#include <string>

namespace csink::apapi {

/// Prints the line `who: text` on stderr with one write, so that lines of several processes do not
/// mix. Errors of the write are ignored. Threads: any. Signals: not safe.
void Say(const char* who, const std::string& text);

/// Whether a variable (APAPI_VERBOSE, APAPI_SOFTFAIL) is set to a whole number (base 0) other than
/// 0.
bool IsOn(const char* variable);

}  // namespace csink::apapi

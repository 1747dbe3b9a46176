#pragma once

#include <string>
#include <string_view>

namespace csink::papi {

/// Prints a warning of the high level on stderr.
/// Threads: any. Signals: not safe.
void SayWarning(std::string_view text);
/// Prints an information on stderr; used with PAPI_HL_VERBOSE.
void SayInfo(std::string_view text);

}  // namespace csink::papi

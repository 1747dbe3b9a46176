#pragma once

#include <string>
#include <string_view>

namespace csink::papi {

/// Prints a warning of the high level on stderr, as one line in the form of all warnings of the
/// library (core/util/raw_log.h).
/// Threads: any. Signals: not safe.
void SayWarning(std::string_view text);
/// Prints "csink: info: TEXT" on stderr; used with PAPI_HL_VERBOSE, so no level of the log hides
/// it.
void SayInfo(std::string_view text);

}  // namespace csink::papi

#pragma once

#include <string>
#include <string_view>

namespace csink::papi {

/// Lines of the high level on stderr: what it leaves out, and what to do about it.
/// Threads: any. Signals: not safe.
void SayWarning(std::string_view text);
/// PAPI_HL_VERBOSE.
void SayInfo(std::string_view text);

}  // namespace csink::papi

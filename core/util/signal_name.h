#pragma once

#include <string_view>

namespace csink {

/// The number of a signal that a program may handle, from its name in upper or lower case: "USR1",
/// "SIGUSR1", "RTMIN+3", "RTMAX-1", or from its number: "12". Returns 0 for an unknown name, for
/// SIGKILL and SIGSTOP, and for 32 and 33, which the C library uses itself. Signals: safe.
int SignalNumber(std::string_view name) noexcept;

}  // namespace csink

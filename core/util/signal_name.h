#pragma once

#include <string_view>

namespace csink {

/// The number of a signal that a program may handle: "USR1", "SIGUSR1", "RTMIN+3", "RTMAX-1", "12",
/// any case. 0: no such signal, or one that cannot be handled (KILL, STOP) or is the C library's
/// own (32, 33). Signals: safe.
int SignalNumber(std::string_view name) noexcept;

}  // namespace csink

#pragma once

#include <string_view>

namespace csink {

/// The number of a signal that a program may handle, from its name in upper or lower case with or
/// without "SIG" ("USR1", "SIGUSR1", "RTMIN+3", "RTMAX-1"), or from its number ("12"). RTMIN is 34
/// as in glibc, RTMAX is 64. Returns 0 for an unknown name, for SIGKILL and SIGSTOP, which cannot
/// be handled (signal(7)), and for 32 and 33, which the C library uses itself.
/// Threads: any. Signals: safe.
int SignalNumber(std::string_view name) noexcept;

}  // namespace csink

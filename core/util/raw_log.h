#pragma once

#include <string_view>

namespace csink {

enum class LogLevel : unsigned char { kError = 0, kWarn = 1, kInfo = 2, kDebug = 3 };

/// Lines above this level are dropped. Default kWarn. Threads: any, relaxed.
void SetLogLevel(LogLevel level) noexcept;
LogLevel GetLogLevel() noexcept;

/// No line at all, while a filter could answer a system call of RawLog's with death.
/// Threads: any, relaxed.
void SetLogSilent(bool silent) noexcept;

/// Writes one line `csink: warn: <text>\n` to descriptor 2 in one write. Control characters of the
/// text become '?'; what is longer than a KiB is cut.
/// An error line says what to do next.
/// Signals: safe (raw_log_signal.cpp): fixed buffer, no libc, keeps errno.
void RawLog(LogLevel level, std::string_view text) noexcept;

}  // namespace csink

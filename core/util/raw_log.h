#pragma once

#include <string_view>

namespace csink {

/// Importance of a line; a smaller number is more important.
enum class LogLevel : unsigned char { kError = 0, kWarn = 1, kInfo = 2, kDebug = 3 };

/// Sets the least important level that is written; lines above the level are dropped. Default:
/// kWarn. One setting for the process. Threads: any (relaxed atomics). Signals: safe.
void SetLogLevel(LogLevel level) noexcept;
/// The level set last, for callers that can save the work of making a line.
LogLevel GetLogLevel() noexcept;

/// Suppresses all lines while `silent` is true. For a process with a seccomp filter that would kill
/// it at one of RawLog's system calls. Threads: any (relaxed atomics).
void SetLogSilent(bool silent) noexcept;

/// Takes a line ("csink: warn: <text>\n") instead of descriptor 2. Returns false if it is to be
/// written there all the same. Signals: must be safe, and keep errno.
using LogSink = bool (*)(std::string_view line) noexcept;
/// Sets what takes all lines of this process; nullptr: nothing. Threads: any (relaxed atomics).
void SetLogSink(LogSink sink) noexcept;

/// Writes one line `csink: warn: <text>\n` to descriptor 2 with one write(2), so that lines of
/// several threads do not mix. Control characters in `text` become '?'; a line longer than 1 KiB is
/// cut. The text of an error must say what the user should do next.
/// Errors:  ignored; a failed write leaves no pending SIGPIPE or SIGXFSZ. A short write is not
/// continued.
/// Cost:    four system calls, five where the write raised a signal; no call for a line that is
/// dropped.
/// Threads: any. Signals: safe (raw_log_signal.cpp): fixed buffer, no libc, keeps errno.
void RawLog(LogLevel level, std::string_view text) noexcept;

}  // namespace csink

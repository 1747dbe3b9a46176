#pragma once

#include <string>
#include <string_view>

#include "core/util/result.h"

/// File: writes texts and messages to descriptors. Every write goes through WriteAll, so that a
/// full disk and a closed pipe are noticed.

namespace csink::tool {

/// Writes all of `text`. Errors carry errno. A closed pipe is the error EPIPE: SIGPIPE is ignored
/// from the first call on.
Result<void> WriteAll(int fd, std::string_view text);

/// Ends the process by SIGPIPE if the reader of a pipe that WriteAll wrote to has gone, as other
/// programs end in `csink export | head`: the status shows it (141 in a shell). Where SIGPIPE was
/// ignored from the start, prints an error instead and returns.
void EndByClosedPipe();

/// The system's text of an error, else its own.
std::string WordsOf(const Error& error);

/// Prints why the output could not be written. Nothing is printed for EPIPE, because the reader has
/// closed the pipe and wants no more. Returns true if an error was printed, so that the exit status
/// must be an error.
bool ComplainUnwritten(const Error& error);

/// Writes all of `text` to stdout. Returns false if it was not written; an error was printed unless
/// it is EPIPE.
bool Print(std::string_view text);

/// Prints one line "csink: error: ..." or "csink: warn: ..." on stderr. Unprintable bytes are
/// replaced, because texts contain names from files. Errors of writing are ignored.
void Complain(const std::string& text);
/// The same for a problem that does not change the exit status.
void Warn(const std::string& text);

}  // namespace csink::tool

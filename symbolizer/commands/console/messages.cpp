#include "symbolizer/commands/console/messages.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "symbolizer/report/wording/shorten.h"

namespace csink::tool {
namespace {

/// What WriteAll has seen.
struct Pipes {
  bool was_ignored = false;  ///< SIGPIPE, before the first call
  bool is_closed = false;    ///< EPIPE
};
Pipes& ThePipes() {
  static Pipes pipes = {.was_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN};
  return pipes;
}

/// Prints one line of a message with one write(2), so that lines of several processes do not mix.
void Line(const char* level, const std::string& text) {
  (void)!WriteAll(2, std::string("csink: ") + level + ": " + report::Printable(text) + "\n");
}

}  // namespace

Result<void> WriteAll(int fd, std::string_view text) {
  // With SIGPIPE ignored, a closed pipe is an error of write(2). It is not ignored earlier, because
  // a program that `csink run` starts would inherit it.
  Pipes& pipes = ThePipes();
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) pipes.is_closed = true;
    if (n < 0) return Error{ErrcFromErrno(errno), errno, "cannot be written"};
    done += static_cast<std::size_t>(n);
  }
  return {};
}

std::string WordsOf(const Error& error) {
  return error.sys_errno != 0 ? std::strerror(error.sys_errno) : std::string(error.what);
}

bool ComplainUnwritten(const Error& error) {
  if (error.code == Errc::kOk || error.sys_errno == EPIPE) return false;
  Complain(error.sys_errno == 0 ? WordsOf(error)
                                : "cannot write the report (" + WordsOf(error) + ")");
  return true;
}

void EndByClosedPipe() {
  const Pipes& pipes = ThePipes();
  if (!pipes.is_closed) return;
  if (pipes.was_ignored) {
    Complain("the output was closed before all was written");
    return;
  }
  signal(SIGPIPE, SIG_DFL);
  (void)raise(SIGPIPE);
}

bool Print(std::string_view text) {
  const auto written = WriteAll(1, text);
  if (!written) ComplainUnwritten(written.error());
  return written.has_value();
}

void Complain(const std::string& text) { Line("error", text); }
void Warn(const std::string& text) { Line("warn", text); }

}  // namespace csink::tool

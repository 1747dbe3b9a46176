#include "symbolizer/tool/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/util/unique_fd.h"
#include "symbolizer/report/json.h"
#include "symbolizer/report/shorten.h"
#include "symbolizer/report/text.h"

namespace csink::tool {
namespace {

constexpr std::size_t kPlainWidth = 100;
constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMostWidth = 240;

report::TextStyle StyleFor(int fd, const OutputOptions& options) {
  report::TextStyle style;
  style.top = options.top;
  style.min_share = options.min_share;
  style.width = kPlainWidth;
  if (!isatty(fd)) return style;
  winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = std::clamp<std::size_t>(size.ws_col, kLeastWidth, kMostWidth);
  }
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org: any non-empty value
  const char* terminal = std::getenv("TERM");
  style.colour = !(no_colour && *no_colour) && terminal && std::strcmp(terminal, "dumb") != 0;
  return style;
}

Result<void> WriteTo(int fd, const report::Report& report, const OutputOptions& options) {
  if (options.format == Format::kJson) return WriteAll(fd, report::WriteJson(report));
  return WriteAll(fd, report::WriteText(report, StyleFor(fd, options)));
}

Result<void> WriteFile(const std::string& path, const report::Report& report,
                       const OutputOptions& options) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
  if (!fd) return Error{ErrcFromErrno(errno), errno, "cannot be opened"};
  return WriteTo(fd.get(), report, options);
}

void Line(const char* level, const std::string& text) {
  (void)!WriteAll(2, std::string("csink: ") + level + ": " + report::Printable(text) + "\n");
}

}  // namespace

std::string ExpandTemplate(const std::string& text, const Profile& profile) {
  ProcessRow nobody;
  const ProcessRow* main = &nobody;
  for (const ProcessRow& process : profile.processes) {
    // The first process to start, in its last image.
    if (main == &nobody || (process.pid == main->pid && process.start_ticks == main->start_ticks)) {
      main = &process;
    }
  }
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '%' && i + 1 < text.size() ? text[i + 1] : '\0';
    ++i;
    if (next == 'p') {
      result += std::to_string(main->pid);
    } else if (next == 'e') {
      result += main->program;
    } else if (next == 'h') {
      result += main->host;
    } else if (next == 'g') {
      result += std::to_string(main->generation);
    } else if (next == '%') {
      result += '%';
    } else {
      result += text[--i];
    }
  }
  return result;
}

Result<void> WriteAll(int fd, const std::string& text) {
  // A closed pipe is an error of write. Not before: a program that `csink run`
  // starts inherits what is ignored.
  signal(SIGPIPE, SIG_IGN);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrcFromErrno(errno), errno, "cannot be written"};
    done += static_cast<std::size_t>(n);
  }
  return {};
}

bool WriteReport(const report::Report& report, const OutputOptions& options) {
  if (options.file.empty()) return WriteTo(options.fd, report, options).has_value();
  const std::string path = ExpandTemplate(options.file, report.profile);
  const auto written = WriteFile(path, report, options);
  if (written) return true;
  Complain("cannot write the report to " + path + " (" + std::strerror(written.error().sys_errno) +
           "); it follows here");
  (void)WriteTo(2, report, options);
  return false;
}

void Complain(const std::string& text) { Line("error", text); }
void Warn(const std::string& text) { Line("warn", text); }

}  // namespace csink::tool

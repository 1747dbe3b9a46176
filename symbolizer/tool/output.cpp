#include "symbolizer/tool/output.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "symbolizer/report/json.h"
#include "symbolizer/report/shorten.h"
#include "symbolizer/report/text.h"
#include "symbolizer/tool/output_name.h"

namespace csink::tool {
namespace {

constexpr std::size_t kPlainWidth = 100;
constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMostWidth = 240;

report::TextStyle StyleFor(int fd, const OutputOptions& options) {
  report::TextStyle style;
  style.top = options.top;
  style.min_share = options.min_share;
  style.call_tree = options.call_tree;
  style.per_thread = options.per_thread;
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

Result<void> WriteFile(const report::Report& report, const OutputOptions& options,
                       std::string& path) {
  const auto fd = OpenOutput(options.file, report.profile, options.of_one_process, path);
  if (!fd) return fd.error();
  return WriteTo(fd->get(), report, options);
}

void Line(const char* level, const std::string& text) {
  (void)!WriteAll(2, std::string("csink: ") + level + ": " + report::Printable(text) + "\n");
}

}  // namespace

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
  std::string path;
  const auto written = WriteFile(report, options, path);
  if (written) return true;
  Complain("cannot write the report to " + path + " (" + std::strerror(written.error().sys_errno) +
           "); it follows here");
  (void)WriteTo(2, report, options);
  return false;
}

void Complain(const std::string& text) { Line("error", text); }
void Warn(const std::string& text) { Line("warn", text); }

}  // namespace csink::tool

#include "symbolizer/commands/show/own_report.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace csink::tool {
namespace {

constexpr char kMark[] = "user.csink.report";

/// How reports begin. Formats of other programs that do not name csink there are known by the mark
/// alone.
constexpr std::string_view kBegins[] = {
    "csink  ",
    "csink: ",
    "[verdict ",
    "`csink: ",
    "{\n  \"format\": \"csink-report\"",
    "# callgrind format\nversion: 1\ncreator: csink ",
    "# ========\n# csink: ",
    "profile,label,command,wall_seconds,",
};

/// The page names csink behind its policies.
bool IsPage(std::string_view head) {
  return head.starts_with("<!doctype html>\n") &&
         head.find("<meta name=\"generator\" content=\"csink ") != std::string_view::npos;
}

}  // namespace

bool MayReplace(int fd) {
  struct stat status;
  // Another name of the file may be one that a user without rights has made of a file of value.
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      status.st_nlink != 1) {
    return false;
  }
  if (status.st_size == 0 || fgetxattr(fd, kMark, nullptr, 0) >= 0) return true;
  char bytes[1024];
  const ssize_t n = pread(fd, bytes, sizeof bytes, 0);
  if (n <= 0) return false;
  const std::string_view head(bytes, static_cast<std::size_t>(n));
  return IsPage(head) ||
         std::any_of(std::begin(kBegins), std::end(kBegins),
                     [&](std::string_view begin) { return head.starts_with(begin); });
}

void MarkAsReport(int fd) { (void)fsetxattr(fd, kMark, "1", 1, 0); }

}  // namespace csink::tool

#include "core/presets/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/util/unique_fd.h"

namespace csink {
namespace {

Error FromErrno(int number, std::string& sentence) {
  sentence = std::string("cannot be read: ") + strerrordesc_np(number);
  const Errc code = number == ENOENT || number == ENOTDIR ? Errc::kNotFound
                    : number == EACCES || number == EPERM ? Errc::kPermission
                                                          : Errc::kSystem;
  return {code, number, "event file cannot be read"};
}

}  // namespace

Result<std::string> ReadEventFile(const std::string& path, std::string& sentence) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return FromErrno(errno, sentence);
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t got = read(fd.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FromErrno(errno, sentence);
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMaxEventFileBytes) {
      sentence = "is larger than 8 MiB and cannot be an event file";
      return Error{Errc::kLimit, 0, "event file is too large"};
    }
  }
}

}  // namespace csink

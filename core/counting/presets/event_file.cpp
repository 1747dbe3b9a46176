#include "core/counting/presets/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/util/unique_fd.h"

namespace csink {
namespace {

// strerrordesc_np is not translated, as our other messages are not, and is safe in threads.
Error FromErrno(int number, std::string& sentence) {
  sentence = std::string("cannot be read: ") + strerrordesc_np(number);
  const Errc code = number == ENOENT || number == ENOTDIR ? Errc::kNotFound
                    : number == EACCES || number == EPERM ? Errc::kPermission
                                                          : Errc::kSystem;
  return {code, number, "event file cannot be read"};
}

}  // namespace

Result<std::string> ReadEventFile(const std::string& path, std::string& sentence) {
  // O_NOCTTY: a terminal named by mistake must not become the program's controlling terminal.
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return FromErrno(errno, sentence);
  // No stat before: the size of a pipe or of a file in /proc is not known in advance.
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t got = read(fd.get(), buffer, sizeof(buffer));
    // A profiled program may have handlers without SA_RESTART, and a pipe may block.
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FromErrno(errno, sentence);
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    // Checked while reading: /dev/zero has no end.
    if (text.size() > kMaxEventFileBytes) {
      sentence = "is larger than 8 MiB and cannot be an event file";
      return Error{Errc::kLimit, 0, "event file is too large"};
    }
  }
}

}  // namespace csink

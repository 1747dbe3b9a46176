#include "symbolizer/names/bytes/open_regular.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

namespace csink::symbolizer {

UniqueFd OpenRegular(const std::string& path, struct stat& status, int flags) {
  status = {};
  // O_PATH opens the name and not the file.
  const UniqueFd name(::open(path.c_str(), O_PATH | O_CLOEXEC | flags));
  if (!name || ::fstat(name.get(), &status) != 0) return UniqueFd();
  if (!S_ISREG(status.st_mode)) {
    errno = EINVAL;
    return UniqueFd();
  }
  // By the descriptor: the path may lead elsewhere by now.
  const std::string same = "/proc/self/fd/" + std::to_string(name.get());
  UniqueFd fd(::open(same.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (fd || errno != ENOENT) return fd;
  // Without /proc.
  fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags));
  struct stat opened;
  const bool is_same = fd && ::fstat(fd.get(), &opened) == 0 && opened.st_dev == status.st_dev &&
                       opened.st_ino == status.st_ino;
  return is_same ? std::move(fd) : UniqueFd();
}

}  // namespace csink::symbolizer

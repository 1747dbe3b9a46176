#include "symbolizer/names/bytes/owned_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "symbolizer/names/bytes/open_regular.h"

namespace csink::symbolizer {

OwnedFile OpenOwned(const std::string& path, const PerfMapOwner& owner, std::uint64_t max_bytes) {
  const auto refused = [&](const char* why) {
    OwnedFile file;
    file.problem = path + " " + why;
    return file;
  };
  OwnedFile file;
  // O_NOFOLLOW and st_nlink == 1: a symbolic or hard link could lead to a file of another user that
  // only csink's user may read.
  struct stat status;
  file.fd = OpenRegular(path, status, O_NOFOLLOW);
  const bool is_other = status.st_mode != 0 && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode);
  if (is_other || status.st_nlink > 1) {
    return refused("is not a regular file or has several hard links");
  }
  if (!file.fd) return errno == ENOENT ? OwnedFile{} : refused("cannot be read");
  // The kernel sets the owner of a file, so a third user cannot write a map for this process.
  // Root's files are accepted: root could change the process itself.
  if (status.st_uid != owner.uid && status.st_uid != 0) return refused("belongs to another user");
  // Rounded up to a whole second: a file system may store the time without its fraction.
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::uint64_t written =
      static_cast<std::uint64_t>(status.st_mtim.tv_sec) * kSecond + kSecond;
  if (written < owner.began_realtime_ns) return refused("is older than the process");
  file.bytes = static_cast<std::uint64_t>(status.st_size);
  if (file.bytes > max_bytes) return refused("is too large");
  return file;
}

}  // namespace csink::symbolizer

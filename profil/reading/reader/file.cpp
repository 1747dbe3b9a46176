#include "profil/reading/reader/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/util/unique_fd.h"
#include "profil/reading/reader/other_user.h"
#include "profil/reading/reader/reader.h"

namespace csink::spool {

namespace {

/// Opens a regular file and gets its size.
Result<UniqueFd> OpenRegular(const std::string& path, const char* too_large, std::size_t& size) {
  // O_NONBLOCK: the open of a fifo must not wait for a writer. O_NOCTTY: a terminal must not become
  // the controlling one.
  const auto others = AsOtherUsersFile(path);
  UniqueFd fd = others ? OpenOtherUsersFile(*others)
                       : UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) {
    // ENOTDIR: a folder of the path is a file, so there is no such file either.
    const Errc code = errno == ENOENT || errno == ENOTDIR ? Errc::kNotFound : ErrcFromErrno(errno);
    return Error{code, errno, "cannot be opened"};
  }
  struct stat status;
  if (fstat(fd.get(), &status) != 0) return Error{Errc::kSystem, errno, "cannot be examined"};
  if (!S_ISREG(status.st_mode)) return Error{Errc::kInvalid, 0, "not a regular file"};
  if (static_cast<std::uint64_t>(status.st_size) > kMaxSpoolBytes) {
    return Error{Errc::kLimit, 0, too_large};
  }
  size = static_cast<std::size_t>(status.st_size);
  return fd;
}

/// Reads bytes[done...] from the place `offset` + `done` of the file on. Shortens `bytes` to what
/// there is.
Result<void> Fill(int fd, std::uint64_t offset, std::size_t done, std::vector<std::byte>& bytes) {
  while (done < bytes.size()) {
    const ssize_t n =
        pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{Errc::kSystem, errno, "cannot be read"};
    if (n == 0) break;  // The file was truncated meanwhile
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return {};
}

}  // namespace

Result<std::vector<std::byte>> ReadFileFrom(const std::string& path, std::uint64_t offset,
                                            const char* too_large) {
  std::size_t size = 0;
  const auto fd = OpenRegular(path, too_large, size);
  if (!fd) return fd.error();
  std::vector<std::byte> bytes(size > offset ? size - offset : 0);
  if (const auto done = Fill(fd->get(), offset, 0, bytes); !done) return done.error();
  return bytes;
}

Result<std::vector<std::byte>> ReadFileHead(const std::string& path, const char* too_large) {
  std::size_t size = 0;
  const auto fd = OpenRegular(path, too_large, size);
  if (!fd) return fd.error();
  std::vector<std::byte> bytes(std::min<std::size_t>(size, kHeaderBytes));
  if (const auto done = Fill(fd->get(), 0, 0, bytes); !done) return done.error();
  return bytes;
}

Result<std::vector<std::byte>> ReadWholeFile(const std::string& path, std::string_view magic,
                                             const char* too_large) {
  std::size_t size = 0;
  const auto fd = OpenRegular(path, too_large, size);
  if (!fd) return fd.error();
  // The header is read first, so that a large foreign file is not read completely.
  std::vector<std::byte> bytes(std::min<std::size_t>(size, kHeaderBytes));
  if (const auto done = Fill(fd->get(), 0, 0, bytes); !done) return done.error();
  const std::size_t head = bytes.size();
  if (head < kHeaderBytes || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    return bytes;
  }
  bytes.resize(size);
  if (const auto done = Fill(fd->get(), 0, head, bytes); !done) return done.error();
  return bytes;
}

}  // namespace csink::spool

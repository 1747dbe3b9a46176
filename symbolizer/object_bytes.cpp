#include "symbolizer/object_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace csink::symbolizer {
namespace {

/// No part of an object that we read is larger: a sparse file of terabytes must
/// not become an allocation of terabytes.
constexpr std::uint64_t kMaxReadBytes = std::uint64_t{1} << 30;

}  // namespace

Result<ObjectBytes> ObjectBytes::Open(const std::string& path) {
  // O_NONBLOCK: a FIFO of that name must not hold us up; it has no effect on files.
  ObjectBytes object;
  object.fd_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!object.fd_) return Error{ErrcFromErrno(errno), errno, "cannot be opened"};
  struct stat status;
  if (::fstat(object.fd_.get(), &status) != 0) {
    return Error{Errc::kSystem, errno, "cannot be examined"};
  }
  if (!S_ISREG(status.st_mode)) return Error{Errc::kInvalid, 0, "is not a regular file"};
  object.size_ = static_cast<std::uint64_t>(status.st_size);
  object.inode_ = status.st_ino;
  object.device_ = status.st_dev;
  return object;
}

ObjectBytes ObjectBytes::FromMemory(Buffer memory) {
  ObjectBytes object;
  object.size_ = memory.size();
  object.memory_ = std::move(memory);
  return object;
}

bool ObjectBytes::Read(std::uint64_t offset, std::size_t size, void* to) const {
  if (offset > size_ || size > size_ - offset) return false;
  if (!fd_) {
    if (size != 0) std::memcpy(to, memory_.bytes().data() + offset, size);
    return true;
  }
  auto* next = static_cast<std::uint8_t*>(to);
  while (size != 0) {
    const ssize_t got = ::pread(fd_.get(), next, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

Buffer ObjectBytes::Read(std::uint64_t offset, std::uint64_t size) const {
  if (size > kMaxReadBytes || offset > size_ || size > size_ - offset) return {};
  Buffer buffer(static_cast<std::size_t>(size));
  if (buffer.size() != size || !Read(offset, buffer.size(), buffer.data())) return {};
  return buffer;
}

}  // namespace csink::symbolizer

#include "symbolizer/names/bytes/object_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "symbolizer/names/bytes/open_log.h"
#include "symbolizer/names/bytes/open_regular.h"

namespace csink::symbolizer {
namespace {

/// Records in the log of this thread, if there is one, the result of opening `path`: `status` of an
/// open file, or null and the errno of open. Only ENOENT and ENOTDIR mean that the file is absent.
/// After any other error the file may be there, and the next attempt may succeed; an answer without
/// the file must not be cached.
void NoteOpen(const std::string& path, const struct stat* status, int error) {
  OpenLog* log = OpenLog::Current();
  if (log == nullptr) return;
  if (status != nullptr) {
    log->Add({path, true, static_cast<std::uint64_t>(status->st_size),
              status->st_mtim.tv_sec * std::int64_t{1'000'000'000} + status->st_mtim.tv_nsec});
  } else if (error == ENOENT || error == ENOTDIR) {
    log->Add({.path = path});
  } else {
    log->AddTrouble();
  }
}

}  // namespace

Result<ObjectBytes> ObjectBytes::Open(const std::string& path) {
  ObjectBytes object;
  struct stat status;
  object.fd_ = OpenRegular(path, status);
  if (!object.fd_) {
    const int error = errno;
    const bool is_other = status.st_mode != 0 && !S_ISREG(status.st_mode);
    NoteOpen(path, is_other ? &status : nullptr, error);
    // The size of other files says nothing about what can be read.
    if (is_other) return Error{Errc::kInvalid, 0, "is not a regular file"};
    return Error{ErrcFromErrno(error), error, "cannot be opened"};
  }
  NoteOpen(path, &status, 0);
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

ObjectBytes ObjectBytes::FromFile(UniqueFd fd, std::uint64_t size) {
  ObjectBytes object;
  object.fd_ = std::move(fd);
  object.size_ = size;
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
    // pread returns less than requested on a signal, and at most 2,147,479,552 bytes at once
    // (read(2)). 0 means that the file became shorter than size_.
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

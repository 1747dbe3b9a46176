#include "core/counting/components/device/device_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "core/util/parse.h"

namespace csink {
namespace {

// O_NONBLOCK: an open must not wait for a device.
int OpenIt(const std::string& path) noexcept {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

}  // namespace

Result<DeviceFile> DeviceFile::Open(const SystemTree& tree, std::string_view path,
                                    std::size_t most_bytes) {
  DeviceFile file;
  file.path_ = tree.PathOf(path);
  file.fd_.reset(OpenIt(file.path_));
  if (!file.fd_) {
    const int error = errno;
    // A file that is missing is the usual case, for which callers look for another way.
    const Errc code = error == ENOENT ? Errc::kNotFound : ErrcFromErrno(error);
    return Error{code, error, "a file of the kernel cannot be opened"};
  }
  // Once: Text allocates nothing, so that a read cannot fail for lack of memory.
  file.text_.resize(most_bytes);
  return file;
}

Result<std::string_view> DeviceFile::Text() noexcept {
  // pread at 0 makes the kernel produce the contents anew for a file of sysfs or procfs.
  ssize_t got = pread(fd_.get(), text_.data(), text_.size(), 0);
  // sysfs returns ENODEV for an open file whose object was removed. A driver that was loaded again
  // has a new file under the same name.
  if (got < 0 && (errno == ENODEV || errno == EBADF)) {
    fd_.reset(OpenIt(path_));
    got = pread(fd_.get(), text_.data(), text_.size(), 0);
  }
  // Other errors are final for this read: drivers answer EIO or ENODATA while a device sleeps, and
  // the next read asks again.
  if (got < 0) return Error{Errc::kSystem, errno, "a device was removed or does not answer"};
  return std::string_view(text_.data(), static_cast<std::size_t>(got));
}

Result<std::string_view> DeviceFile::WholeText() noexcept {
  const Result<std::string_view> first = Text();
  if (!first) return first.error();
  std::size_t size = first->size();
  while (size > 0 && size < text_.size()) {
    const ssize_t got =
        pread(fd_.get(), text_.data() + size, text_.size() - size, static_cast<off_t>(size));
    if (got < 0) return Error{Errc::kSystem, errno, "a file of the kernel cannot be read"};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return std::string_view(text_.data(), size);
}

Result<std::int64_t> DeviceFile::Number() noexcept {
  const Result<std::string_view> text = Text();
  if (!text) return text.error();
  std::string_view line = Trimmed(text->substr(0, text->find('\n')));
  // Temperatures below 0 °C; ParseUnsigned accepts no sign.
  const bool negative = line.starts_with('-');
  if (negative) line.remove_prefix(1);
  const Result<std::uint64_t> number = ParseUnsigned(line);
  if (!number || *number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return Error{Errc::kCorrupt, 0, "a file of a device does not contain a number"};
  }
  return negative ? -static_cast<std::int64_t>(*number) : static_cast<std::int64_t>(*number);
}

}  // namespace csink

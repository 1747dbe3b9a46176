#pragma once

#include <fcntl.h>

#include <cstddef>
#include <string_view>

#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

namespace csink {

/// The first `Bytes` bytes of a file of /proc or /sys, read once by the constructor. Longer files
/// are cut without an error: a caller that needs the whole file must choose `Bytes` larger than the
/// file can be. The descriptor is closed before the constructor returns.
///   const SmallFile<64> file("/proc/sys/kernel/perf_event_paranoid");
///   if (file.error() == 0) Use(Trimmed(file.view()));
/// Owns: the bytes, inside the object: mind the stack. Lean: no heap, no libc.
/// Threads: one. Signals: safe.
template <std::size_t Bytes = 4096>
class SmallFile {
 public:
  /// Opens, reads and closes `path` (absolute, NUL-terminated): at least three system calls. A file
  /// that can be read by this process may still fail: see error().
  explicit SmallFile(const char* path) noexcept {
    const long r = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(path), O_RDONLY | O_CLOEXEC);
    if (r < 0) {
      error_ = static_cast<int>(-r);
      return;
    }
    // Closed at the end of this constructor, also after a failed read.
    const UniqueFd fd(static_cast<int>(r));
    // The kernel may return less than asked for (many files of /proc give a page at a time), so the
    // loop reads until the end of the file or the buffer.
    while (size_ < Bytes) {
      const long n = RawSyscall(SYS_read, fd.get(), SyscallArg(text_ + size_),
                                static_cast<long>(Bytes - size_));
      if (n < 0) error_ = static_cast<int>(-n);
      if (n <= 0) break;
      size_ += static_cast<std::size_t>(n);
    }
  }

  /// 0, or the errno of openat(2) or read(2). After a failed read view() has what was read before.
  /// A file without content is no error: view() is empty.
  int error() const noexcept { return error_; }
  /// What was read; valid as long as this object.
  std::string_view view() const noexcept { return {text_, size_}; }

 private:
  /// Not initialised: view() shows only what was read.
  char text_[Bytes];
  /// The bytes of text_ that were read.
  std::size_t size_ = 0;
  int error_ = 0;
};

}  // namespace csink

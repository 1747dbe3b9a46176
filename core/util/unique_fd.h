#pragma once

#include <sys/syscall.h>

#include <utility>

#include "core/util/raw_syscall.h"

namespace csink {

/// A file descriptor that is closed by its destructor.
///   const UniqueFd fd(open(path, O_RDONLY | O_CLOEXEC));
///   if (!fd) return FromErrno(errno);
/// Owns:    the descriptor, or nothing (-1). Movable, not copyable.
/// Threads: one owner at a time.
/// Signals: safe; closes by a raw system call, so that neither the program's own close nor our
/// interposed one is called, and errno is kept.
/// Errors:  those of close(2) are ignored. Linux frees the descriptor also where close returns
/// EINTR, so the call is never repeated.
class UniqueFd {
 public:
  /// Owns nothing.
  UniqueFd() noexcept = default;
  /// Takes over `fd`; a negative number means nothing.
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  /// The moved-from object owns nothing.
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  /// The descriptor, still owned here; -1: nothing.
  int get() const noexcept { return fd_; }
  /// Whether a descriptor is owned.
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Gives up the descriptor without closing it; the caller owns it then.
  int release() noexcept { return std::exchange(fd_, -1); }
  /// Closes the descriptor held, if any, and takes over `fd` (-1: nothing).
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) RawSyscall(SYS_close, fd_);
    fd_ = fd;
  }

 private:
  /// -1: nothing is owned.
  int fd_ = -1;
};

}  // namespace csink

#pragma once

#include <sys/syscall.h>

#include <cstddef>
#include <utility>

#include "core/util/raw_syscall.h"

namespace csink {

/// A memory mapping that is unmapped by its destructor.
/// Owns:    the pages [data, data + size_bytes), or nothing (data is nullptr). Movable, not
/// copyable.
/// Threads: one owner at a time.
/// Signals: safe; calls munmap by a raw system call and keeps errno.
class Mapping {
 public:
  /// Maps nothing.
  Mapping() noexcept = default;
  /// Takes over `size_bytes` bytes of pages that mmap(2) returned at `data`. `data` must not be
  /// MAP_FAILED.
  Mapping(void* data, std::size_t size_bytes) noexcept : data_(data), size_bytes_(size_bytes) {}
  /// The moved-from object has nothing. Move assignment unmaps the pages held before.
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    if (this != &other) {
      reset();
      data_ = std::exchange(other.data_, nullptr);
      size_bytes_ = std::exchange(other.size_bytes_, 0);
    }
    return *this;
  }
  ~Mapping() { reset(); }

  /// First byte of the pages; nullptr: nothing is mapped.
  void* data() const noexcept { return data_; }
  /// Bytes as given to mmap(2), 0 where nothing is mapped.
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// Whether pages are mapped.
  explicit operator bool() const noexcept { return data_ != nullptr; }
  /// Unmaps the pages, if there are any. Pointers into them are invalid afterwards. Errors of
  /// munmap are ignored: no caller could do anything about them.
  void reset() noexcept {
    if (data_) RawSyscall(SYS_munmap, SyscallArg(data_), static_cast<long>(size_bytes_));
    data_ = nullptr;
    size_bytes_ = 0;
  }
  /// Gives up the pages without unmapping them. For a forked child in which the kernel did not map
  /// them (MADV_DONTFORK): unmapping there could hit pages that were mapped at the same address
  /// since.
  void release() noexcept {
    data_ = nullptr;
    size_bytes_ = 0;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace csink

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/util/unique_fd.h"

namespace csink {

/// Copies this process's own memory through the kernel, which says EFAULT where
/// a load of ours would fault. Keeps the last block: the headers and the build-id
/// of most images come with one call (1 us) instead of fifteen.
///
/// Owns:    a descriptor for the length of its life, and only where the kernel
///          refuses process_vm_readv. Threads: one at a time. Signals: safe.
class OwnMemory {
 public:
  /// All of it or nothing.
  bool Read(std::uint64_t address, void* out, std::size_t size) noexcept;
  template <class T>
  bool Read(std::uint64_t address, T& out) noexcept {
    return Read(address, &out, sizeof out);
  }

  /// Memory may have changed since.
  void Forget() noexcept {
    fd_.reset();
    block_size_ = 0;
  }

 private:
  bool Copy(std::uint64_t address, void* out, std::size_t size) noexcept;
  bool FromFile(std::uint64_t address, void* out, std::size_t size) const noexcept;

  UniqueFd fd_;
  std::uint64_t block_start_ = 0;
  std::uint64_t block_size_ = 0;
  unsigned char block_[1024];
};

}  // namespace csink

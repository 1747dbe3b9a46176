#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/util/unique_fd.h"

namespace csink {

/// Copies memory of a process by system calls: where a direct load would fault, the kernel returns
/// EFAULT. It is this process's own memory unless SetProcess names another one, which this process
/// must have the right to trace; nothing is stopped. The last block read is kept, so that the
/// headers and the build-id of most images take one call (1 us) instead of fifteen.
///
///   ProcessMemory memory;
///   Elf64_Ehdr header;
///   if (!memory.Read(address, header)) return;  // unmapped meanwhile
///
/// Owns:    a descriptor, only where the kernel refuses process_vm_readv. Threads: one at a time.
/// Signals: safe.
class ProcessMemory {
 public:
  /// Reads the process of thread `tid` from now on; 0: this process.
  void SetProcess(pid_t tid) noexcept {
    if (tid != tid_) Forget();
    tid_ = tid;
  }
  /// Copies `size` bytes at `address` to `out`. Returns false if not all of them are readable;
  /// `out` is then undefined. The bytes may come from the block that an earlier Read kept: after a
  /// change of the memory the caller must call Forget.
  bool Read(std::uint64_t address, void* out, std::size_t size) noexcept;
  /// The same for one object, byte by byte: T must be trivial.
  template <class T>
  bool Read(std::uint64_t address, T& out) noexcept {
    return Read(address, &out, sizeof out);
  }

  /// Copies at most `size` bytes from `address` on, up to the first page that is not readable.
  /// Returns the number of bytes copied. Past the block: always as the memory is now.
  std::size_t ReadSome(std::uint64_t address, void* out, std::size_t size) noexcept;

  /// Drops the block, since the memory may have changed.
  void DropBlock() noexcept { block_size_ = 0; }
  /// Drops the block, the descriptor and the process's own number.
  void Forget() noexcept {
    fd_.reset();
    own_pid_ = 0;
    DropBlock();
  }

 private:
  /// One system call, past the block.
  bool Copy(std::uint64_t address, void* out, std::size_t size) noexcept;
  /// Reads by pread64 of the file mem in /proc.
  bool FromFile(std::uint64_t address, void* out, std::size_t size) const noexcept;

  /// The argument of process_vm_readv.
  long Target() noexcept;

  UniqueFd fd_;
  pid_t tid_ = 0;
  pid_t own_pid_ = 0;  ///< 0: not asked for yet
  /// block_[0, block_size_) is a copy of the memory at block_start_; it never crosses a page
  /// boundary.
  std::uint64_t block_start_ = 0;
  std::uint64_t block_size_ = 0;
  unsigned char block_[1024];
};

}  // namespace csink

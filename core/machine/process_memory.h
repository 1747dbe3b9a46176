#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/util/unique_fd.h"

namespace csink {

/// Blocks of memory that are read again and again, such as unwind tables: the owner clears it when
/// the memory may have changed. All zero at first.
/// Owns:    128 KiB. Threads: one at a time. Signals: safe.
class MemoryBlocks {
 public:
  static constexpr std::size_t kBytes = 1024;  // a part of a page
  void Clear() noexcept {
    for (Block& block : blocks_) block.start_plus_one = 0;
  }

 private:
  friend class ProcessMemory;
  struct Block {
    std::uint64_t start_plus_one;  ///< 0: unused
    unsigned char bytes[kBytes];
  };
  Block& For(std::uint64_t start) noexcept { return blocks_[start / kBytes % kCount]; }

  static constexpr std::size_t kCount = 128;
  Block blocks_[kCount];
};

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

  /// Read takes and leaves its blocks there; nullptr: nowhere. Forget does not clear them.
  void set_blocks(MemoryBlocks* blocks) noexcept { blocks_ = blocks; }

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
  /// Read over blocks_.
  bool ReadBlocks(std::uint64_t address, void* out, std::size_t size) noexcept;
  /// One system call, past the block.
  bool Copy(std::uint64_t address, void* out, std::size_t size) noexcept;
  /// Reads by pread64 of the file mem in /proc.
  bool FromFile(std::uint64_t address, void* out, std::size_t size) const noexcept;

  /// The argument of process_vm_readv.
  long Target() noexcept;

  MemoryBlocks* blocks_ = nullptr;
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

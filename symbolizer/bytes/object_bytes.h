#pragma once

#include <cstdint>
#include <string>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "symbolizer/bytes/bytes.h"

namespace csink::symbolizer {

/// Largest part of an object that is read at once: a sparse file of terabytes must not cause an
/// allocation of terabytes.
inline constexpr std::uint64_t kMaxReadBytes = std::uint64_t{1} << 30;

/// The bytes of one object file, on disk or in memory, read piece by piece.
///
/// Files are never mapped: if a file is truncated meanwhile (a package upgrade), a read returns
/// less, but an access to a mapping raises SIGBUS.
/// Owns:    its descriptor or its memory. Movable, not copyable.
/// Threads: const functions from any thread.
class ObjectBytes {
 public:
  /// Opens a regular file. Errors: kNoEvent (no such file), kPermission, kInvalid (not a regular
  /// file), kSystem.
  static Result<ObjectBytes> Open(const std::string& path);
  static ObjectBytes FromMemory(Buffer memory);
  /// Takes over a descriptor of a regular file of `size` bytes.
  static ObjectBytes FromFile(UniqueFd fd, std::uint64_t size);

  std::uint64_t size() const { return size_; }
  /// 0 for bytes in memory. `device` is st_dev.
  std::uint64_t inode() const { return inode_; }
  std::uint64_t device() const { return device_; }

  /// Reads [offset, offset + size) to `to`. False if the file ends before.
  bool Read(std::uint64_t offset, std::size_t size, void* to) const;
  /// The bytes [offset, offset + size); empty unless they are all there.
  Buffer Read(std::uint64_t offset, std::uint64_t size) const;

 private:
  ObjectBytes() = default;
  UniqueFd fd_;
  Buffer memory_;
  std::uint64_t size_ = 0;
  std::uint64_t inode_ = 0;
  std::uint64_t device_ = 0;
};

}  // namespace csink::symbolizer

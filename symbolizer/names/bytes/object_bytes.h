#pragma once

#include <cstdint>
#include <string>

#include "core/util/result.h"
#include "core/util/unique_fd.h"
#include "symbolizer/names/bytes/bytes.h"

namespace csink::symbolizer {

/// Largest part of an object that is read at once (1 GiB): a sparse file of terabytes must not
/// cause an allocation of terabytes.
inline constexpr std::uint64_t kMaxReadBytes = std::uint64_t{1} << 30;

/// The bytes of one object file, on disk or in memory, read piece by piece.
///
/// Files are never mapped: if a file is truncated meanwhile (a package upgrade), a read returns
/// less, but an access to a mapping raises SIGBUS. A file is read by pread, so that concurrent
/// reads do not share a position.
/// Owns:    its descriptor or its memory. Movable, not copyable.
/// Threads: const functions from any thread.
class ObjectBytes {
 public:
  /// Opens a regular file. Adds the file, or its absence, to the OpenLog of the calling thread.
  /// Errors: kNoEvent (no such file), kPermission, kLimit (no free descriptor), kInvalid (not a
  /// regular file), kSystem.
  static Result<ObjectBytes> Open(const std::string& path);
  /// An object in memory: a linked object file, inflated MiniDebugInfo, the vdso. Not recorded in
  /// the OpenLog.
  static ObjectBytes FromMemory(Buffer memory);
  /// Takes over a descriptor of a regular file of `size` bytes, for callers that opened and checked
  /// the file themselves (owned_file.h). `inode()` and `device()` are 0. Not recorded in the
  /// OpenLog.
  static ObjectBytes FromFile(UniqueFd fd, std::uint64_t size);

  /// Bytes, as fstat told them when the file was opened. The file may have become shorter since.
  std::uint64_t size() const { return size_; }
  /// st_ino and st_dev of a file that Open opened; else 0. They identify the file of a mapping
  /// where there is no build id.
  std::uint64_t inode() const { return inode_; }
  std::uint64_t device() const { return device_; }

  /// Reads [offset, offset + size) to `to`. Returns false if the object ends before, or if a read
  /// fails (a file that was truncated meanwhile); then an unknown part of `to` was overwritten. Any
  /// `offset` is valid input.
  bool Read(std::uint64_t offset, std::size_t size, void* to) const;
  /// The bytes [offset, offset + size); empty unless they are all there, at most kMaxReadBytes, and
  /// fit into memory.
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

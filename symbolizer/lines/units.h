#pragma once

#include <optional>
#include <vector>

#include "symbolizer/dwarf/section.h"

namespace csink::symbolizer {

/// The units of .debug_line one after the other. Of an uncompressed section only the unit at hand
/// is in memory, a compressed one is inflated whole.
/// Owns:    what it read. Neither movable nor copyable.
/// Threads: one.
class LineUnits {
 public:
  explicit LineUnits(const ElfFile& file);
  explicit LineUnits(Bytes memory) : section_(memory) {}

  bool IsOnDisk() const { return section_.IsOnDisk(); }
  std::uint64_t size() const { return section_.size(); }
  std::uint64_t offset() const { return offset_; }
  /// The next unit is the one that begins at `offset`.
  void Seek(std::uint64_t offset) {
    offset_ = offset;
    empty_ = 0;
  }

  /// The next unit with its length; empty at the end, and where none can be read. Valid until the
  /// next call, or until what Keep gave is gone.
  Bytes Next();
  /// Steps over the next unit; false where Next gives none.
  bool Skip();
  /// The bytes that Next gave, for good. Empty: they belong to this object and stay anyway.
  Buffer Keep();

 private:
  /// 0: no unit follows.
  std::uint64_t NextSize();
  /// By what its length says; 0: that cannot be.
  std::uint64_t ClaimedSize();
  Bytes FromFile(std::uint64_t size);

  dwarf::DwarfSection section_;
  std::uint64_t offset_ = 0;
  unsigned empty_ = 0;  ///< Units in a row that hold nothing
  Buffer unit_;
};

}  // namespace csink::symbolizer

#pragma once

#include <optional>
#include <vector>

#include "symbolizer/names/dwarf/section.h"

namespace csink::symbolizer {

/// Reads the units of .debug_line one after the other. Of an uncompressed section only the current
/// unit is in memory; a compressed section is inflated whole. A section that the file does not
/// contain whole has no units: its last unit would end anywhere.
/// Owns:    the bytes that it read. Neither movable nor copyable.
/// Threads: one.
class LineUnits {
 public:
  explicit LineUnits(const ElfFile& file);
  /// Over bytes of the caller.
  explicit LineUnits(Bytes memory) : section_(memory) {}

  /// Whether views of Next end with the next call; otherwise they stay valid.
  bool IsOnDisk() const { return section_.IsOnDisk(); }
  std::uint64_t size() const { return section_.size(); }
  /// Offset in the section of the next unit.
  std::uint64_t offset() const { return offset_; }
  /// Makes the unit at `offset` the next one. Whether a unit begins there is not checked.
  void Seek(std::uint64_t offset) {
    offset_ = offset;
    empty_ = 0;
  }

  /// The next unit, including its length field. Empty at the end, and where no unit can be read.
  /// Valid until the next call, or as long as the buffer that Keep returned.
  Bytes Next();
  /// Steps over the next unit; false where Next would return an empty view.
  bool Skip();
  /// Passes the ownership of the bytes that Next returned to the caller. Empty: the bytes belong to
  /// this object and stay valid while it lives.
  Buffer Keep();

 private:
  /// Size of the next unit in bytes; 0: no unit follows.
  std::uint64_t NextSize();
  /// The size that the unit's length field claims; 0: impossible.
  std::uint64_t ClaimedSize();
  /// The next `size` bytes of the section on disk.
  Bytes FromFile(std::uint64_t size);

  dwarf::DwarfSection section_;
  std::uint64_t offset_ = 0;
  unsigned empty_ = 0;  ///< Number of consecutive units without contents
  Buffer unit_;
};

}  // namespace csink::symbolizer

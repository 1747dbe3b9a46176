#pragma once

#include <memory>
#include <vector>

#include "symbolizer/names/dwarf/section.h"
#include "symbolizer/names/elf/inflate_stream.h"

namespace csink::symbolizer::dwarf {

/// Reads .debug_info from front to back. Skipped bytes are not read from the file; of a compressed
/// section they are inflated, but not kept. So a section of any size needs the memory of one unit.
/// There is no way back: a second look at a unit needs a second feed, or TakeInfo.
/// Owns:    its window or decompressor. `info` must outlive the feed.
/// Threads: one.
class InfoFeed {
 public:
  explicit InfoFeed(const DwarfSection& info);

  /// Bytes consumed so far, which is the offset in the section of the next byte.
  std::uint64_t offset() const { return offset_; }
  /// Bytes to the end of the section, as its header claims the size.
  std::uint64_t left() const { return info_.size() - offset_; }
  /// The next `want` bytes, or all that are left, without consuming them. Empty: the section is
  /// damaged. Valid until the next call.
  Bytes Peek(std::uint64_t want);
  /// Consumes `size` bytes; false if the section is damaged or shorter.
  bool Skip(std::uint64_t size);
  /// Consumes the next `size` bytes. Returns a view of the section's memory, or copies them to
  /// `room` and returns a view of that.
  Bytes Take(std::uint64_t size, Buffer& room);

 private:
  /// Inflates ahead until at least `want` bytes are known; false if the section is damaged.
  bool Fill(std::uint64_t want);

  const DwarfSection& info_;
  std::uint64_t offset_ = 0;
  SectionWindow window_;
  std::unique_ptr<InflateStream> stream_;  ///< Only for a compressed section
  std::vector<std::uint8_t> ahead_;        ///< Inflated, but not yet consumed
};

/// `size` bytes of .debug_info at `offset`, with random access: a compressed section is inflated
/// whole and stays in memory. `room` holds the bytes if they had to be read; callers pass the same
/// `room` for one unit after the other, so that it is allocated once. Empty: the bytes are not all
/// there, are more than 1 GiB, or memory is short.
Bytes TakeInfo(const DwarfSection& info, std::uint64_t offset, std::uint64_t size, Buffer& room);

}  // namespace csink::symbolizer::dwarf

#pragma once

#include <memory>
#include <vector>

#include "symbolizer/dwarf/section.h"
#include "symbolizer/elf/inflate_stream.h"

namespace csink::symbolizer::dwarf {

/// .debug_info from front to back: what is stepped over is not read from a file, and not kept of
/// a compressed section.
/// Threads: one.
class InfoFeed {
 public:
  explicit InfoFeed(const DwarfSection& info);

  std::uint64_t offset() const { return offset_; }
  std::uint64_t left() const { return info_.size() - offset_; }
  /// The next bytes: `want` of them, or all that are left. Empty: the section is damaged.
  Bytes Peek(std::uint64_t want);
  bool Skip(std::uint64_t size);
  /// The next `size` bytes, in `room` or where they are.
  Bytes Take(std::uint64_t size, Buffer& room);

 private:
  bool Fill(std::uint64_t want);

  const DwarfSection& info_;
  std::uint64_t offset_ = 0;
  SectionWindow window_;
  std::unique_ptr<InflateStream> stream_;  ///< Only of a compressed section
  std::vector<std::uint8_t> ahead_;        ///< Inflated, and not yet taken
};

/// Some bytes of .debug_info wherever they lie; a compressed section is inflated whole.
Bytes TakeInfo(const DwarfSection& info, std::uint64_t offset, std::uint64_t size, Buffer& room);

}  // namespace csink::symbolizer::dwarf

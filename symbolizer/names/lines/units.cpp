#include "symbolizer/names/lines/units.h"

#include <algorithm>
#include <utility>

namespace csink::symbolizer {
namespace {

/// Length field of the 64-bit DWARF format: 0xffffffff and 8 bytes.
constexpr std::size_t kMostLengthBytes = 12;
/// A unit has at least a length field, a version and the length of its header.
constexpr std::uint64_t kLeastUnitBytes = 4 + 6;
/// Assemblers leave a few zero bytes between units. A longer row of empty units is a hole in a
/// sparse file.
constexpr unsigned kMostEmpty = 64;

/// The size of a unit including its length field; 0: the length does not fit into `left`.
std::uint64_t UnitBytes(Bytes front, std::uint64_t left) {
  ByteReader reader(front);
  std::uint64_t length = reader.U32();
  if (length == 0xffffffff) length = reader.U64();
  return reader.ok() && length <= left - reader.offset() ? length + reader.offset() : 0;
}

}  // namespace

LineUnits::LineUnits(const ElfFile& file) : section_(file, "line") {
  if (!section_.IsOnDisk()) return;
  // If the file does not contain the whole section, the section is damaged and not read.
  const Elf64_Shdr& header = file.sections()[section_.index()];
  if (header.sh_size != section_.size()) offset_ = section_.size();
}

std::uint64_t LineUnits::NextSize() {
  const std::uint64_t size = ClaimedSize();
  empty_ = size < kLeastUnitBytes ? empty_ + 1 : 0;
  return empty_ > kMostEmpty ? 0 : size;
}

std::uint64_t LineUnits::ClaimedSize() {
  if (offset_ >= section_.size()) return 0;
  const std::uint64_t left = section_.size() - offset_;
  if (!section_.IsOnDisk()) {
    const Bytes rest = Part(section_.Whole(), offset_, left);
    return UnitBytes(rest, rest.size());
  }
  std::uint8_t front[kMostLengthBytes];
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left, sizeof front));
  return section_.Read(offset_, bytes, front) ? UnitBytes({front, bytes}, left) : 0;
}

Bytes LineUnits::FromFile(std::uint64_t size) {
  if (size > kMaxReadBytes) return {};
  // Allocates twice the needed size: touching new memory costs as much as reading the bytes into
  // it, so that reallocation for each larger unit would be slow.
  if (unit_.size() < size) {
    unit_ = Buffer(static_cast<std::size_t>(std::min(2 * size, section_.size())));
  }
  if (unit_.size() < size ||
      !section_.Read(offset_, static_cast<std::size_t>(size), unit_.data())) {
    return {};
  }
  return unit_.bytes().first(static_cast<std::size_t>(size));
}

Bytes LineUnits::Next() {
  const std::uint64_t size = NextSize();
  const Bytes unit = size == 0             ? Bytes()
                     : section_.IsOnDisk() ? FromFile(size)
                                           : Part(section_.Whole(), offset_, size);
  offset_ = unit.empty() ? section_.size() : offset_ + unit.size();
  return unit;
}

bool LineUnits::Skip() {
  const std::uint64_t size = NextSize();
  offset_ += size;
  return size != 0;
}

Buffer LineUnits::Keep() { return std::exchange(unit_, Buffer()); }

}  // namespace csink::symbolizer

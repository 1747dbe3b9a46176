#include "symbolizer/lines/units.h"

#include <algorithm>
#include <utility>

namespace csink::symbolizer {
namespace {

/// Of a length that DWARF64 announces.
constexpr std::size_t kMostLengthBytes = 12;
/// A unit has at least a version and the length of its header behind its own length.
constexpr std::uint64_t kLeastUnitBytes = 4 + 6;
/// Assemblers leave a few bytes of zeros between units; more in a row are a hole in the file.
constexpr unsigned kMostEmpty = 64;

/// The bytes of a unit with its length, by the length at its front; 0: none that fits.
std::uint64_t UnitBytes(Bytes front, std::uint64_t left) {
  ByteReader reader(front);
  std::uint64_t length = reader.U32();
  if (length == 0xffffffff) length = reader.U64();
  return reader.ok() && length <= left - reader.offset() ? length + reader.offset() : 0;
}

}  // namespace

LineUnits::LineUnits(const ElfFile& file) : section_(file, "line") {
  if (!section_.IsOnDisk()) return;
  // A table that the file does not hold to its end is damaged.
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
  // Twice as large as need be: new memory costs as much as the bytes that are read into it.
  if (unit_.size() < size)
    unit_ = Buffer(static_cast<std::size_t>(std::min(2 * size, section_.size())));
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

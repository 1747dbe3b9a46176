#include "symbolizer/names/dwarf/leap.h"

namespace csink::symbolizer::dwarf {
namespace {

/// Bytes that are read without a check for the end: a code of at most two bytes, and a
/// DW_FORM_ref4.
constexpr std::size_t kMostCodeBytes = 2;
constexpr std::size_t kSiblingBytes = 4;

/// memcpy, because the field has any alignment.
std::uint32_t ReadSibling(const std::uint8_t* at) {
  std::uint32_t sibling = 0;
  std::memcpy(&sibling, at, sizeof sibling);
  return sibling;
}

}  // namespace

DiePlace LeapOver(Bytes unit, DiePlace place, std::uint32_t floor, bool skips_inlined,
                  const AbbreviationTable& table) {
  const auto leaps = table.leaps();
  std::size_t at = place.offset;
  std::uint32_t depth = place.depth;
  // The inner loop of the whole pass: it touches one or two bytes of most DIEs and calls no
  // function.
  while (depth > floor && depth < kMaxDepth && unit.size() - at > kMostCodeBytes) {
    std::uint32_t code = unit[at];
    std::size_t next = at + 1;
    // The end of a list of children. The end that belongs to the DIE at `floor` is left to the
    // caller, which has to leave that DIE.
    if (code == 0) {
      if (depth == floor + 1) break;
      --depth;
      at = next;
      continue;
    }
    if (code >= 0x80) {
      // A code of three bytes or more is rare; the slower code reads it.
      if (unit[next] >= 0x80) break;
      code = (code & 0x7f) | std::uint32_t{unit[next++]} << 7;
    }
    if (code - 1 >= leaps.size()) break;
    const Leap leap = leaps[code - 1];
    if (leap.kind == Leap::Kind::kFixed) {
      if (leap.bytes > unit.size() - next) break;
      next += leap.bytes;
      depth += leap.has_children;
    } else if (leap.kind == Leap::Kind::kSibling ||
               (leap.kind == Leap::Kind::kInlined && skips_inlined)) {
      if (leap.bytes + kSiblingBytes > unit.size() - next) break;
      const std::uint32_t sibling = ReadSibling(unit.data() + next + leap.bytes);
      // Only forward: a reference back would be an endless loop.
      if (sibling <= next + leap.bytes + kSiblingBytes || sibling > unit.size()) break;
      next = sibling;
    } else {
      break;
    }
    at = next;
  }
  return {at, depth};
}

}  // namespace csink::symbolizer::dwarf

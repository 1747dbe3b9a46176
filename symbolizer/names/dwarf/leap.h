#pragma once

#include <cstdint>

#include "symbolizer/names/dwarf/abbrev.h"

namespace csink::symbolizer::dwarf {

/// Deeper trees are not read, because a damaged unit could consist of opening DIEs only. Trees that
/// compilers write stay below 100 levels.
inline constexpr std::uint32_t kMaxDepth = 1 << 16;

/// A position in the DIE tree of a unit, at the start of a DIE or of the zero that ends a list of
/// children.
struct DiePlace {
  std::size_t offset = 0;   ///< From the unit's start
  std::uint32_t depth = 0;  ///< Number of DIEs around it
};

/// Steps over the common DIEs: those for which the abbreviation alone says where the next DIE
/// begins (Leap). Stops at a DIE that needs a closer look, at the end of the children of the DIE at
/// depth `floor`, or near the end of the unit. `skips_inlined`: no function around the position has
/// an address, so that kInlined leaps are allowed.
///
/// `unit` is the whole unit with its header, and `place` a position behind the header. Returns the
/// position where it stopped, at a depth above `floor`. A damaged length or sibling stops it too;
/// the caller's slower code then decides.
DiePlace LeapOver(Bytes unit, DiePlace place, std::uint32_t floor, bool skips_inlined,
                  const AbbreviationTable& table);

}  // namespace csink::symbolizer::dwarf

#pragma once

#include <cstdint>

#include "symbolizer/dwarf/abbrev.h"

namespace csink::symbolizer::dwarf {

/// Compilers stay below a hundred.
inline constexpr std::uint32_t kMaxDepth = 1 << 16;

/// A place among the DIEs of a unit.
struct DiePlace {
  std::size_t offset = 0;   ///< From the unit's start
  std::uint32_t depth = 0;  ///< DIEs around it
};

/// Steps over the DIEs that nearly all are: those whose abbreviation alone says where the next one
/// begins. Stands at another one, at the end of the children of the DIE at the depth `floor`, or
/// near the end of the unit. `skips_inlined`: no function around has an address.
DiePlace LeapOver(Bytes unit, DiePlace place, std::uint32_t floor, bool skips_inlined,
                  const AbbreviationTable& table);

}  // namespace csink::symbolizer::dwarf

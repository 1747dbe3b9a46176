#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolizer/elf/file.h"

namespace csink::symbolizer {

/// A unit of .debug_info and its line table.
struct HintedUnit {
  std::uint64_t lines = 0;  ///< Where the table begins in .debug_line
  std::uint64_t info = 0;   ///< Where the unit begins in .debug_info
  bool operator==(const HintedUnit&) const = default;
};

/// The units of these addresses, as .debug_aranges (DWARF 5, 6.1.2) and the root DIEs of the units
/// that it names say: sorted by line table, each table once.
///
/// A hint and no more: compilers leave the section out or half empty, and nothing in it is trusted.
/// Empty also where .debug_info is compressed. `vaddrs` is sorted.
std::vector<HintedUnit> HintedLineUnits(const ElfFile& file, std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer

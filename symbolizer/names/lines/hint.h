#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// A unit of .debug_info and its line table, as offsets in the two sections.
struct HintedUnit {
  std::uint64_t lines = 0;  ///< Offset of the table in .debug_line
  std::uint64_t info = 0;   ///< Offset of the unit in .debug_info
  bool operator==(const HintedUnit&) const = default;
};

/// The units that contain these addresses, according to .debug_aranges (DWARF 5, 6.1.2) and the
/// root DIEs of the units. Sorted by line table; each table occurs once.
///
/// The result is only a hint for the order of work: compilers leave the section out or write it
/// incompletely, and its contents are not trusted. Empty if .debug_info or .debug_abbrev is
/// compressed: reading one root DIE would inflate the whole section. `vaddrs` is sorted. The work
/// for root DIEs is limited to 32 MiB of abbreviations; further units are left out.
std::vector<HintedUnit> HintedLineUnits(const ElfFile& file, std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/dwarf/constants.h"
#include "symbolizer/elf/file.h"

namespace csink::symbolizer {

class DebugFiles;

/// The source line of one PC.
struct LineHit {
  std::string file;               ///< Its folders joined as far as they are known; may be empty
  std::uint32_t line = 0;         ///< 0: unknown
  std::uint64_t row_vaddr = 0;    ///< Where the row that gave the line starts
  std::uint64_t unit = kNoLines;  ///< Where the line table that has the row begins in .debug_line
  bool is_borrowed = false;  ///< The address's own row has line 0: a row before it gave the line
};

/// Finds the lines of a known set of addresses from .debug_line (DWARF 2-5). Relative paths of
/// DWARF 2 to 4 are joined with the folder of the compilation, which stands in .debug_info.
///
/// Line programs are run once and matched against the sorted addresses on the
/// fly; no table is built. Those that .debug_aranges names are run first, and the others only for
/// addresses that stay without a row: what that section says wrongly or not at all changes no
/// answer. Where the addresses are few, sequences that cannot hold one are not run. Rows of line 0
/// (code that the compiler made up) take the row before with a line, which may be another
/// function's (is_borrowed). Where two
/// sequences claim an address (folded functions), the first in the section wins of the units that
/// .debug_aranges names for it, else of all.
/// `vaddrs` is sorted; the answer has one hit per address. `files` (may be null) opens what dwz
/// moved out, the names of folders among it.
std::vector<LineHit> MatchLines(const ElfFile& file, std::span<const std::uint64_t> vaddrs,
                                DebugFiles* files = nullptr);

/// The same over bare sections, without folders of compilations. `text` is .debug_line_str,
/// `strings` .debug_str.
struct LineSections {
  Bytes line;
  Bytes text;
  Bytes strings;
};
std::vector<LineHit> MatchLines(const LineSections& sections,
                                std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer

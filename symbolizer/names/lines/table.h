#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/names/dwarf/constants.h"
#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

class DebugFiles;

/// The source line of one PC.
struct LineHit {
  std::string file;             ///< Joined with its folders as far as they are known; may be empty
  std::uint32_t line = 0;       ///< 0: unknown
  std::uint64_t row_vaddr = 0;  ///< Where the row that gave the line begins
  std::uint64_t unit = kNoLines;  ///< Offset in .debug_line of the line table that has the row
  bool is_borrowed = false;  ///< The address's own row has line 0; the line is from a row before it
};

/// Finds the lines of a known set of addresses in .debug_line (DWARF 2 to 5). Relative paths in
/// DWARF 2 to 4 are joined with the folder of the compilation, which is in .debug_info.
///
/// Line programs run once and are matched with the sorted addresses while they run; no table is
/// built. The programs that .debug_aranges names run first; the others run only for addresses that
/// have no row yet. So errors and gaps in .debug_aranges do not change the result. If there are few
/// addresses, sequences that cannot contain one of them are skipped. A row of line 0 (code that the
/// compiler generated) takes the line of the last row that has a line, which may be another
/// function's (is_borrowed). If two sequences claim an address (folded functions), the first in the
/// section wins: among the units that .debug_aranges names for the address, else among all units.
/// `vaddrs` is sorted; the answer has one hit for each address. `files` (may be null) opens the
/// supplementary file of dwz, which may hold names of folders.
std::vector<LineHit> MatchLines(const ElfFile& file, std::span<const std::uint64_t> vaddrs,
                                DebugFiles* files = nullptr);

/// The sections of a line table in memory: `line` is .debug_line, `text` is .debug_line_str,
/// `strings` is .debug_str; absent ones are empty.
struct LineSections {
  Bytes line;
  Bytes text;
  Bytes strings;
};
/// The same over sections in memory, without folders of compilations. For tests and fuzzing.
std::vector<LineHit> MatchLines(const LineSections& sections,
                                std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer

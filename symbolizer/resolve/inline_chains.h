#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "symbolizer/dwarf/files.h"
#include "symbolizer/elf/file.h"
#include "symbolizer/query/answer.h"

namespace csink::symbolizer {

/// An address whose own row of the line table has line 0, and the row before it whose line it took.
struct BorrowedLine {
  std::size_t number = 0;  ///< Of the address
  std::uint64_t row_vaddr = 0;
};

/// What symbols and lines told of a module's addresses.
struct ToldAddresses {
  std::span<const std::uint64_t> vaddrs;   ///< Sorted
  std::span<const std::uint64_t> lines;    ///< LineHit::unit of each
  std::span<const BorrowedLine> borrowed;  ///< In the same functions as their rows
  std::vector<Location>& locations;        ///< One for each address
};

/// Fills Location::inlined from the .debug_info of `info`, names what no symbol names, and keeps
/// borrowed lines only where SettleBorrowedLine does. `files` are those that `info` refers to.
void AddInlines(const ElfFile& info, DebugFiles& files, const ToldAddresses& told);

/// Settles the borrowed lines alone, and reads only the units that have them.
void SettleBorrowedLines(const ElfFile& info, DebugFiles& files, const ToldAddresses& told);

struct InlineAnswer;

/// A borrowed line stays where the row is of the same chain of inlined functions. Where the row is
/// in code that was inlined into the address's function, the line of that call takes its place.
/// Otherwise it is a line of another function, and the location loses it. Where .debug_info knows
/// neither of the two addresses the symbol, which is the same, has to do.
void SettleBorrowedLine(const InlineAnswer& at, const InlineAnswer& row, Location& location);

}  // namespace csink::symbolizer

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolizer/names/dwarf/files.h"
#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/query/answer.h"

namespace csink::symbolizer {

/// An address whose own line table row has line 0, and the earlier row whose line it took.
struct BorrowedLine {
  std::size_t number = 0;  ///< Index of the address
  /// Start of the row that has the line.
  std::uint64_t row_vaddr = 0;
};

/// Names of symbols with the same start, by start.
using AliasNames = std::unordered_map<std::uint64_t, std::vector<std::string>>;

/// What symbol and line tables said about a module's addresses. Everything must outlive the call.
struct AddressFacts {
  std::span<const std::uint64_t> vaddrs;   ///< Sorted
  std::span<const std::uint64_t> lines;    ///< LineHit::unit for each address
  std::span<const BorrowedLine> borrowed;  ///< Only those in the same function as their row
  /// Indices of addresses whose function's name may be in .debug_info alone, or whose symbol may be
  /// an alias of the name there. Rising.
  std::span<const std::size_t> unsettled;
  /// SymbolHit::alternatives by start, to choose from.
  const AliasNames& aliases;
  std::vector<Location>& locations;  ///< One for each address
};

/// Fills Location::inlined from .debug_info of `info`, names addresses that have no symbol or an
/// alias, and applies SettleBorrowedLine to borrowed lines. `files` opens the files to which `info`
/// refers. Uses up to four threads.
void AddInlines(const ElfFile& info, DebugFiles& files, const AddressFacts& facts);

/// The same without inlined functions: asks only about unsettled names and borrowed lines, and
/// reads only the units that contain them. Reads nothing if there are none. For details below
/// Detail::kInlines.
void SettleNamesAndLines(const ElfFile& info, DebugFiles& files, const AddressFacts& facts);

struct InlineAnswer;

/// Decides whether a location may keep a borrowed line. It may if the row is in the same chain of
/// inlined functions. If the row is in code that was inlined into the address's function, the line
/// of that call replaces the line. Otherwise the line belongs to another function and is removed.
/// If .debug_info has neither address, the line is kept, because the symbol of both is the same.
/// `at` is the answer for the address, `row` that for the row. Public for tests.
void SettleBorrowedLine(const InlineAnswer& at, const InlineAnswer& row, Location& location);

}  // namespace csink::symbolizer

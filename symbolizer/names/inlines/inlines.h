#pragma once

#include <span>
#include <string>
#include <vector>

#include "symbolizer/names/dwarf/files.h"
#include "symbolizer/names/query/answer.h"

namespace csink::symbolizer {

/// What .debug_info says about one address.
struct InlineAnswer {
  bool is_found = false;            ///< A function's DIE covers the address
  std::vector<InlineFrame> frames;  ///< As Location::inlined
  /// The function that contains the code, and the start of its range around the address. The names
  /// are filled only if no symbol starts there.
  std::string function;
  std::string raw_name;
  std::uint64_t start = 0;
};

/// The addresses, and for each what the symbol and line tables said. The three lists have the same
/// length.
struct InlineQuestions {
  std::vector<std::uint64_t> vaddrs;         ///< Sorted
  std::vector<std::uint64_t> symbol_starts;  ///< Start of the symbol around the address; 0: none
  std::vector<std::uint64_t> lines;          ///< LineHit::unit
};

/// Finds the inlined functions around a known set of addresses (DWARF 2 to 5). Reads only the units
/// that cover the addresses: first the ranges of the units, then one pass over the DIEs of each
/// covering unit, then the names of what was found.
///
/// Unit ranges are taken from the unit DIEs, never from .debug_aranges, which may be missing or
/// incomplete. If several ranges cover an address, the smallest wins, then the first unit. Units
/// without ranges are searched for addresses that no unit claims. Unit ranges may be wrong
/// (rewritten programs, strict DWARF 2): addresses for which the claiming unit has no function are
/// searched in the units whose line table has a row for them.
///
/// `elf` is the file that has .debug_info; `files` opens those to which it refers. Answers are in
/// the order of the addresses. At most `threads` threads work on it, one for each 128 MiB of units
/// that are read, and one alone if .debug_info is compressed. Damage costs answers;
/// there is no error.
/// Threads: any; `files` is used by one thread at a time.
std::vector<InlineAnswer> FindInlines(const ElfFile& elf, DebugFiles& files,
                                      const InlineQuestions& asked, unsigned threads);

namespace dwarf {
struct SectionBytes;
}  // namespace dwarf

/// The same over sections in memory, without other files. For tests and fuzzing.
std::vector<InlineAnswer> FindInlines(const dwarf::SectionBytes& sections,
                                      std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer

#pragma once

#include <span>
#include <string>
#include <vector>

#include "symbolizer/dwarf/files.h"
#include "symbolizer/query/answer.h"

namespace csink::symbolizer {

/// What .debug_info knows of one address.
struct InlineAnswer {
  bool is_found = false;            ///< A function has it
  std::vector<InlineFrame> frames;  ///< As Location::inlined
  /// The function that has the code, and the start of its range around the address. Its names
  /// stand here only where no symbol begins there.
  std::string function;
  std::string raw_name;
  std::uint64_t start = 0;
};

/// Addresses, and what symbols and line tables told of each.
struct InlineQuestions {
  std::vector<std::uint64_t> vaddrs;         ///< Sorted
  std::vector<std::uint64_t> symbol_starts;  ///< Of the symbol around it; 0: none
  std::vector<std::uint64_t> lines;          ///< LineHit::unit
};

/// Finds inlined functions around a known set of addresses (DWARF 2-5), reading only the units
/// that have them: ranges of the units first, then one pass over the DIEs of each, then the names
/// of what was found.
///
/// Ranges come from the units, never from .debug_aranges, which may be missing or incomplete; of
/// several the smallest wins, then the unit that comes first. Units that tell no ranges are looked
/// through for addresses that nobody claims. Ranges of units may be wrong (rewritten programs,
/// strict DWARF 2): addresses that have no function there are looked for in the units whose line
/// table has a row for them.
/// The answers are in the order of the addresses. At most `threads` work at it.
std::vector<InlineAnswer> FindInlines(const ElfFile& elf, DebugFiles& files,
                                      const InlineQuestions& asked, unsigned threads);

namespace dwarf {
struct SectionBytes;
}  // namespace dwarf

/// The same over bare sections, without other files.
std::vector<InlineAnswer> FindInlines(const dwarf::SectionBytes& sections,
                                      std::span<const std::uint64_t> vaddrs);

}  // namespace csink::symbolizer

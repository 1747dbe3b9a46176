#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/elf/file.h"

namespace csink::symbolizer {

/// One symbol that covers a PC.
struct SymbolHit {
  std::string name;  ///< As in the symbol table, without @VERSION
  std::uint64_t start = 0;
  /// Behind the last byte; for symbols without a size the end of the section
  std::uint64_t end = 0;
  /// False: the symbol has no size, and by convention extends to the next one
  bool is_sized = false;
  std::uint32_t aliases = 0;  ///< Number of other names with the same start
};

/// Finds the symbols of a known set of addresses in one pass over each table.
///
/// Only symbols that cover an address are kept, so that a table of millions costs one read and
/// little memory. A sized symbol never names addresses past its end. Of several symbols that cover
/// an address, the one with the last start (the innermost) wins. Of several names with the same
/// start, the best known name wins, in this order: exported in its default version, without __GI_,
/// fewer leading underscores, global, shorter, first in the alphabet.
class SymbolMatcher {
 public:
  enum class Table {
    kStatic,   ///< .symtab: a symbol without size reaches to the next one in its section
    kDynamic,  ///< .dynsym: a symbol without size names its own address only
  };

  /// `vaddrs` is sorted and must outlive the matcher.
  explicit SymbolMatcher(std::span<const std::uint64_t> vaddrs);

  /// Reads the table of that kind in `file`; false if there is none.
  bool Add(const ElfFile& file, Table kind);

  /// One answer for each address. Call it once, after the last Add.
  std::vector<std::optional<SymbolHit>> Match();

 private:
  struct Candidate {
    std::uint64_t start;
    std::uint64_t end;  // 3 (function with a size) to 0
    std::string_view name;
    std::uint8_t kind_rank;     ///< 3 function with size .. 0
    std::uint8_t binding_rank;  ///< 2 global, 1 weak, 0 local
    bool is_exported;
    bool is_sized;
    std::uint32_t aliases;  ///< Counted by Order
  };
  /// The last start of a symbol between one address and the next.
  struct Nearest {
    std::uint64_t start = 0;
    bool is_sized = false;
    void Add(const Nearest& other) {
      if (other.start > start) {
        *this = other;
      } else if (other.start == start) {
        is_sized = is_sized || other.is_sized;
      }
    }
  };
  struct Sources;
  void AddSymbol(const Elf64_Sym& symbol, std::size_t index, const Sources& sources);
  static bool Better(const Candidate& a, const Candidate& b);
  /// Sorts by start; among equal starts the best name comes last. Counts the names of each start.
  static void Order(std::vector<Candidate>& candidates);

  std::span<const std::uint64_t> vaddrs_;
  std::vector<Buffer> names_;
  std::vector<Candidate> sized_;
  std::vector<Candidate> unsized_;
  std::vector<Nearest> nearest_;
};

/// True for symbols that do not name a function: mapping symbols ($x, $d.1), local labels.
bool IsLabelOnly(std::string_view name);

}  // namespace csink::symbolizer

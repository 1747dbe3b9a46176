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
  std::uint64_t end = 0;      ///< Behind its last byte; without size: the end of the section
  bool is_sized = false;      ///< False: it reaches to the next symbol by convention only
  std::uint32_t aliases = 0;  ///< Other names of the same start
};

/// Finds the symbols of a known set of addresses in one pass over each table.
///
/// Only symbols that cover an address are kept, so a table of millions costs one
/// read and little memory. A name is never given past the end of a sized symbol.
/// Of several symbols the innermost (last start) wins; of several names at one
/// start the one that people know: exported in its default version, without
/// __GI_, fewer leading underscores, global, shorter, first in the alphabet.
class SymbolMatcher {
 public:
  enum class Table {
    kStatic,   ///< .symtab: a symbol without size reaches to the next one in its section
    kDynamic,  ///< .dynsym: a symbol without size names its own address only
  };

  /// `vaddrs` is sorted and outlives the matcher.
  explicit SymbolMatcher(std::span<const std::uint64_t> vaddrs);

  /// Reads the table of that kind in `file`; false when there is none.
  bool Add(const ElfFile& file, Table kind);

  /// One answer per address, after the last Add.
  std::vector<std::optional<SymbolHit>> Match();

 private:
  struct Candidate {
    std::uint64_t start;
    std::uint64_t end;
    std::string_view name;
    std::uint8_t kind_rank;     ///< 3 function with size .. 0
    std::uint8_t binding_rank;  ///< 2 global, 1 weak, 0 local
    bool is_exported;
    bool is_sized;
    std::uint32_t aliases;  ///< Counted once all are known
  };
  /// The last start of a symbol among those between one address and the next.
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
  /// Sorts by start, the best of one start last, and counts the names of each start.
  static void Order(std::vector<Candidate>& candidates);

  std::span<const std::uint64_t> vaddrs_;
  std::vector<Buffer> names_;
  std::vector<Candidate> sized_;
  std::vector<Candidate> unsized_;
  std::vector<Nearest> nearest_;
};

/// True for symbols that name no function: mapping symbols ($x, $d.1), local labels.
bool IsLabelOnly(std::string_view name);

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// The symbol that names a PC. Addresses are in the file's own address space.
struct SymbolHit {
  std::string name;  ///< As in the symbol table, without @VERSION
  std::uint64_t start = 0;
  /// Behind the last byte; for symbols without a size the end of the section
  std::uint64_t end = 0;
  /// False: the symbol has no size, and by convention extends to the next one
  bool is_sized = false;
  /// Number of other names with the same start; names that differ only in the kind of constructor
  /// or destructor count once.
  std::uint32_t aliases = 0;
  /// The names with the same start between which debug information chooses. Empty if the name
  /// stays: the others are glibc's internal ones (kInternal), or reserved for the library while
  /// this one is exported (__libc_malloc of malloc): programs call it by this name. So reserved
  /// names are left out beside an exported one.
  std::vector<std::string> alternatives;
};

/// Finds the symbols of a known set of addresses in one pass over each table.
///
/// Only symbols that cover an address are kept, so that a table of millions costs one read and
/// little memory. A sized symbol never names addresses past its end. Of several symbols that cover
/// an address, the one with the last start (the innermost) wins. Of several names with the same
/// start, the best known name wins, in this order: a sized function before others, exported in its
/// default version, without __GI_, fewer leading underscores, global before weak before local,
/// shorter, first in the alphabet. The order is total, so that a report has the same names each
/// time.
/// Owns:    the string tables that the candidates' names point into.
/// Threads: one.
class SymbolMatcher {
 public:
  enum class Table {
    kStatic,   ///< .symtab: a symbol without size reaches to the next one in its section
    kDynamic,  ///< .dynsym: a symbol without size names its own address only
  };

  /// `vaddrs` is sorted (in the file's own address space) and must outlive the matcher.
  explicit SymbolMatcher(std::span<const std::uint64_t> vaddrs);

  /// Reads the table of that kind in `file`; returns false if there is none. Tables of several
  /// files may be added, if their addresses agree (a file and its debug file). `file` need not
  /// outlive the call.
  bool Add(const ElfFile& file, Table kind);

  /// One answer for each address, in their order; nullopt: no symbol covers the address. Call it
  /// once, after the last Add.
  std::vector<std::optional<SymbolHit>> Match();

 private:
  /// A symbol that covers at least one address. `name` points into `names_`.
  struct Candidate {
    std::uint64_t start;
    /// Behind the last byte; for symbols without a size the latest possible end
    std::uint64_t end;
    std::string_view name;
    std::uint8_t kind_rank;     ///< 3 function with size .. 0
    std::uint8_t binding_rank;  ///< 2 global, 1 weak, 0 local
    bool is_exported;
    bool is_sized;
    std::uint32_t aliases;  ///< Counted by Order
    bool is_contested;      ///< There are SymbolHit::alternatives; set by Order
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
  /// What AddSymbol needs of the file that is read.
  struct Sources;
  /// Adds symbol number `index` to the candidates if it can name an address.
  void AddSymbol(const Elf64_Sym& symbol, std::size_t index, const Sources& sources);
  /// Whether `a` is the better name of two with the same start; a strict weak ordering.
  static bool Better(const Candidate& a, const Candidate& b);
  /// Sorts by start; among equal starts the best name comes last. Counts the names of each start.
  static void Order(std::vector<Candidate>& candidates);
  /// The answer for an address in a candidate, one of `among`.
  static SymbolHit HitOf(const Candidate& candidate, const std::vector<Candidate>& among);

  std::span<const std::uint64_t> vaddrs_;
  /// The string table of each Add. A Buffer that moves keeps its bytes, so that names stay valid
  /// when the vector grows.
  std::vector<Buffer> names_;
  /// Candidates that may nest, and candidates that reach to the next symbol.
  std::vector<Candidate> sized_;
  std::vector<Candidate> unsized_;
  /// Per address: the last symbol between the address before and this one, also of symbols that are
  /// no candidates. A symbol without size must not reach over such a symbol.
  std::vector<Nearest> nearest_;
};

/// glibc's calls of itself use names with this prefix, and gcc writes them into debug information.
inline constexpr std::string_view kInternal = "__GI_";

/// Whether a name is reserved for the C library and the compiler (C11, 7.1.3). Mangled names begin
/// with an underscore and a capital letter, too, and are not meant.
bool IsReserved(std::string_view name);

/// True for symbols that do not name a function: mapping symbols ($x, $d.1; Arm ELF supplements)
/// and local labels (.L*). Also for empty names.
bool IsLabelOnly(std::string_view name);

}  // namespace csink::symbolizer

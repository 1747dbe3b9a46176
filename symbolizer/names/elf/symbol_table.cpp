#include "symbolizer/names/elf/symbol_table.h"

#include <algorithm>

/// File: Add reads a table in pieces and keeps the symbols that cover an address: since the
/// addresses are sorted, one binary search for each symbol tells. Match then sorts the candidates
/// by start and walks over addresses and candidates together. Open sized symbols form a stack,
/// because symbols nest; the top is the innermost one.
///
/// Names are read only for symbols that may cover an address, because names lie anywhere in memory.

namespace csink::symbolizer {
namespace {

/// Symbols are read in pieces of this many records (768 KiB for 64-bit files), so that memory does
/// not grow with the table.
constexpr std::size_t kSymbolsPerRead = 32 << 10;
/// Bit 15 of an entry of .gnu.version (LSB Core, "Symbol Versioning"): an old version, which
/// programs are not linked with any more.
constexpr std::uint16_t kVersionHidden = 0x8000;

/// Fewer underscores mean a better known name: "memcpy" before "__memcpy".
std::size_t LeadingUnderscores(std::string_view name) {
  const std::string_view front = name.substr(0, 8);  // Names with eight or more count as equal
  const std::size_t n = front.find_first_not_of('_');
  return n == std::string_view::npos ? front.size() : n;
}

/// Global names before weak ones before local ones.
std::uint8_t BindingRank(unsigned char info) {
  switch (ELF64_ST_BIND(info)) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE:
      return 2;
    case STB_WEAK:
      return 1;
    default:
      return 0;
  }
}

/// Whether two names have the same text: complete and base constructors (C1, C2) and destructors
/// (D1, D2) are two symbols with one readable name (Itanium C++ ABI, 5.1.4.3).
bool ReadTheSame(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (a.size() != b.size() || !a.starts_with("_Z") || !b.starts_with("_Z")) return false;
  const auto at =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  const bool kinds = a[at] >= '0' && a[at] <= '5' && b[at] >= '0' && b[at] <= '5';
  return kinds && (a[at - 1] == 'C' || a[at - 1] == 'D') && a.substr(at + 1) == b.substr(at + 1);
}

}  // namespace

bool IsReserved(std::string_view name) {
  return name.starts_with("__") || name.starts_with("_IO_");
}

bool IsLabelOnly(std::string_view name) {
  if (name.empty()) return true;
  if (name.starts_with(".L")) return true;
  // ARM and AArch64 mapping symbols: $a $d $t $x, with an optional ".suffix".
  return name.size() >= 2 && name[0] == '$' &&
         std::string_view("adtx").find(name[1]) != std::string_view::npos &&
         (name.size() == 2 || name[2] == '.');
}

/// The sections that a symbol table refers to.
struct SymbolMatcher::Sources {
  const ElfFile& file;
  Table kind = Table::kStatic;
  Bytes names;
  Buffer versions;         ///< .gnu.version: one version number for each symbol
  Buffer section_indices;  ///< SHT_SYMTAB_SHNDX: section indices that do not fit into st_shndx

  bool IsDefaultVersion(std::size_t symbol) const {
    ByteReader reader(Part(versions.bytes(), symbol * 2, 2));
    const std::uint16_t version = reader.U16();
    // Without .gnu.version every symbol is its own default.
    return !reader.ok() || (version & kVersionHidden) == 0;
  }
  /// The section of a symbol; null: none, or the index is not valid.
  const Elf64_Shdr* SectionOf(const Elf64_Sym& symbol, std::size_t index) const {
    std::uint32_t section = symbol.st_shndx;
    if (section == SHN_XINDEX) {
      ByteReader reader(Part(section_indices.bytes(), index * 4, 4));
      section = reader.U32();
    } else if (section >= SHN_LORESERVE) {
      return nullptr;
    }
    return section != 0 && section < file.sections().size() ? &file.sections()[section] : nullptr;
  }
};

SymbolMatcher::SymbolMatcher(std::span<const std::uint64_t> vaddrs)
    : vaddrs_(vaddrs), nearest_(vaddrs.size()) {}

bool SymbolMatcher::Add(const ElfFile& file, Table kind) {
  const std::uint32_t wanted = kind == Table::kStatic ? SHT_SYMTAB : SHT_DYNSYM;
  const auto is_wanted = [&](const Elf64_Shdr& section) {
    return section.sh_type == wanted && section.sh_link < file.sections().size();
  };
  // The ELF gABI allows at most one table of each kind.
  const auto table = std::find_if(file.sections().begin(), file.sections().end(), is_wanted);
  if (table == file.sections().end()) return false;
  if (vaddrs_.empty()) return true;
  const auto table_index = static_cast<std::size_t>(table - file.sections().begin());
  names_.push_back(file.ReadSection(table->sh_link));
  Sources sources{file, kind, names_.back().bytes(), {}, {}};
  if (kind == Table::kDynamic) {
    if (const auto at = file.FindSection(".gnu.version")) sources.versions = file.ReadSection(*at);
  }
  for (std::size_t i = 0; i < file.sections().size(); ++i) {
    const Elf64_Shdr& section = file.sections()[i];
    if (section.sh_type != SHT_SYMTAB_SHNDX || section.sh_link != table_index) continue;
    sources.section_indices = file.ReadSection(i);
    break;
  }
  const std::size_t count = file.SymbolCount(*table);
  std::vector<Elf64_Sym> chunk;
  for (std::size_t first = 1; first < count; first += chunk.size()) {
    chunk.resize(std::min(kSymbolsPerRead, count - first));
    if (!file.ReadSymbols(*table, first, chunk)) break;
    for (std::size_t k = 0; k < chunk.size(); ++k) AddSymbol(chunk[k], first + k, sources);
  }
  return true;
}

void SymbolMatcher::AddSymbol(const Elf64_Sym& symbol, std::size_t index, const Sources& sources) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
  // An STT_OBJECT symbol in a section of code is a table: it ends the symbol before it, but is no
  // function.
  if (!is_function && type != STT_NOTYPE && type != STT_OBJECT) return;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || symbol.st_shndx == SHN_COMMON) {
    return;
  }
  // The first address that is not below the symbol. If the symbol covers any address, it covers
  // this one.
  const auto first = std::lower_bound(vaddrs_.begin(), vaddrs_.end(), symbol.st_value);
  if (first == vaddrs_.end()) return;

  const Elf64_Shdr* section = sources.SectionOf(symbol, index);
  if (section != nullptr && (section->sh_flags & SHF_EXECINSTR) == 0) return;
  const auto slot = static_cast<std::size_t>(first - vaddrs_.begin());
  if (symbol.st_size != 0 && *first - symbol.st_value >= symbol.st_size) {
    // Most symbols end before the next wanted address. Their names are not read, because names lie
    // anywhere in memory.
    nearest_[slot].Add({symbol.st_value, true});
    return;
  }
  const std::string_view name = TextAt(sources.names, symbol.st_name);
  if (symbol.st_size == 0 && IsLabelOnly(name)) return;

  nearest_[slot].Add({symbol.st_value, symbol.st_size != 0});
  if (type == STT_OBJECT || IsLabelOnly(name)) return;

  Candidate candidate{};
  candidate.start = symbol.st_value;
  candidate.is_sized = symbol.st_size != 0;
  if (candidate.is_sized) {
    candidate.end = symbol.st_value + symbol.st_size;
    if (candidate.end < candidate.start) return;
  } else if (sources.kind == Table::kDynamic) {
    // .dynsym lacks local functions, so the next symbol does not show where this one ends.
    candidate.end = symbol.st_value + 1;
  } else if (section != nullptr) {
    candidate.end = section->sh_addr + section->sh_size;
  }
  if (*first >= candidate.end) return;
  candidate.name = name;
  if (sources.kind == Table::kStatic) {
    // In a .symtab, "realpath@@GLIBC_2.3" is the default version, and a single @ marks an old one.
    const std::size_t at = name.find('@', 1);
    if (at != std::string_view::npos) {
      candidate.name = name.substr(0, at);
      candidate.is_exported = name.substr(at).starts_with("@@");
    }
  } else {
    candidate.is_exported = sources.IsDefaultVersion(index);
  }
  candidate.kind_rank =
      static_cast<std::uint8_t>((candidate.is_sized ? 2 : 0) + (is_function ? 1 : 0));
  candidate.binding_rank = BindingRank(symbol.st_info);
  (candidate.is_sized || sources.kind == Table::kDynamic ? sized_ : unsized_).push_back(candidate);
}

bool SymbolMatcher::Better(const Candidate& a, const Candidate& b) {
  if (a.kind_rank != b.kind_rank) return a.kind_rank > b.kind_rank;
  if (a.is_exported != b.is_exported) return a.is_exported;
  const bool a_internal = a.name.starts_with(kInternal);
  const bool b_internal = b.name.starts_with(kInternal);
  if (a_internal != b_internal) return b_internal;
  const std::size_t a_underscores = LeadingUnderscores(a.name);
  const std::size_t b_underscores = LeadingUnderscores(b.name);
  if (a_underscores != b_underscores) return a_underscores < b_underscores;
  if (a.binding_rank != b.binding_rank) return a.binding_rank > b.binding_rank;
  if (a.name.size() != b.name.size()) return a.name.size() < b.name.size();
  if (a.name != b.name) return a.name < b.name;
  return a.end < b.end;
}

void SymbolMatcher::Order(std::vector<Candidate>& candidates) {
  // The best name of a start comes last, because Match takes the top of a stack.
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.start != b.start ? a.start < b.start : Better(b, a);
  });
  std::vector<std::string_view> names;
  for (std::size_t first = 0, end = 0; first < candidates.size(); first = end) {
    names.clear();
    for (; end < candidates.size() && candidates[end].start == candidates[first].start; ++end) {
      names.push_back(candidates[end].name);
    }
    if (names.size() == 1) continue;
    std::sort(names.begin(), names.end());
    const auto distinct = std::unique(names.begin(), names.end(), ReadTheSame) - names.begin();
    const Candidate& best = candidates[end - 1];
    // Those that debug information could prefer; see SymbolHit::alternatives.
    const bool is_public = best.is_exported && !IsReserved(best.name);
    const auto choices =
        std::count_if(names.begin(), names.begin() + distinct, [&](std::string_view name) {
          return is_public ? !IsReserved(name) : !name.starts_with(kInternal);
        });
    for (std::size_t i = first; i < end; ++i) {
      candidates[i].aliases = static_cast<std::uint32_t>(distinct - 1);
      candidates[i].is_contested = choices > 1;
    }
  }
}

SymbolHit SymbolMatcher::HitOf(const Candidate& candidate, const std::vector<Candidate>& among) {
  SymbolHit hit{std::string(candidate.name), candidate.start,   candidate.end,
                candidate.is_sized,          candidate.aliases, {}};
  if (!candidate.is_contested) return hit;
  const auto behind =
      std::upper_bound(among.begin(), among.end(), candidate.start,
                       [](std::uint64_t start, const Candidate& c) { return start < c.start; });
  const bool only_public = candidate.is_exported && !IsReserved(candidate.name);
  for (auto at = behind; at != among.begin() && std::prev(at)->start == candidate.start; --at) {
    const std::string_view name = std::prev(at)->name;
    if (!only_public || !IsReserved(name)) hit.alternatives.emplace_back(name);
  }
  return hit;
}

std::vector<std::optional<SymbolHit>> SymbolMatcher::Match() {
  Order(sized_);
  Order(unsized_);
  std::vector<std::optional<SymbolHit>> hits(vaddrs_.size());
  // Addresses rise, so that a symbol that has ended stays ended: each is pushed and popped once.
  std::vector<const Candidate*> open;
  std::size_t next_sized = 0;
  std::size_t next_unsized = 0;
  Nearest nearest;
  for (std::size_t i = 0; i < vaddrs_.size(); ++i) {
    const std::uint64_t pc = vaddrs_[i];
    nearest.Add(nearest_[i]);
    while (next_sized < sized_.size() && sized_[next_sized].start <= pc) {
      open.push_back(&sized_[next_sized++]);
    }
    while (!open.empty() && open.back()->end <= pc) open.pop_back();
    while (next_unsized < unsized_.size() && unsized_[next_unsized].start <= pc) ++next_unsized;
    if (!open.empty()) {
      hits[i] = HitOf(*open.back(), sized_);
    } else if (next_unsized != 0) {
      // The last symbol without a size extends to here only if no other symbol starts in between,
      // and if no symbol with the same start has a size.
      const Candidate& last = unsized_[next_unsized - 1];
      if (last.start == nearest.start && !nearest.is_sized && pc < last.end) {
        hits[i] = HitOf(last, unsized_);
      }
    }
  }
  return hits;
}

}  // namespace csink::symbolizer

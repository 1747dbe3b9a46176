#include "symbolizer/names/elf/data_symbols.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace csink::symbolizer {
namespace {

/// As in symbol_table.cpp: memory does not grow with the table.
constexpr std::size_t kSymbolsPerRead = 32 << 10;

/// The best symbol of one address so far.
struct Best {
  bool known = false;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::string name;
};

class Matcher {
 public:
  explicit Matcher(std::span<const std::uint64_t> addresses)
      : addresses_(addresses), order_(addresses.size()), best_(addresses.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return addresses_[a] < addresses_[b]; });
  }

  void AddTable(const ElfFile& file, const Elf64_Shdr& table) {
    if (table.sh_link >= file.sections().size()) return;
    const Buffer names = file.ReadSection(table.sh_link);
    const std::size_t count = file.SymbolCount(table);
    std::vector<Elf64_Sym> chunk;
    for (std::size_t first = 1; first < count; first += chunk.size()) {
      chunk.resize(std::min(kSymbolsPerRead, count - first));
      if (!file.ReadSymbols(table, first, chunk)) return;
      for (const Elf64_Sym& symbol : chunk) AddSymbol(symbol, names.bytes());
    }
  }

  std::vector<std::optional<DataHit>> Take() {
    std::vector<std::optional<DataHit>> hits(addresses_.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (best_[i].known) hits[i] = {std::move(best_[i].name), addresses_[i] - best_[i].start};
    }
    return hits;
  }

 private:
  void AddSymbol(const Elf64_Sym& symbol, Bytes names) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0) return;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON) return;
    auto at =
        std::lower_bound(order_.begin(), order_.end(), symbol.st_value,
                         [&](std::size_t i, std::uint64_t value) { return addresses_[i] < value; });
    // By difference: a damaged size may reach behind the end of all addresses.
    for (; at != order_.end() && addresses_[*at] - symbol.st_value < symbol.st_size; ++at) {
      std::string_view name = TextAt(names, symbol.st_name);
      name = name.substr(0, name.find('@', 1));
      if (name.empty()) return;
      Best& best = best_[*at];
      const bool better =
          !best.known || symbol.st_value > best.start ||
          (symbol.st_value == best.start &&
           std::tuple(symbol.st_size, name) < std::tuple(best.size, std::string_view(best.name)));
      if (better) best = {true, symbol.st_value, symbol.st_size, std::string(name)};
    }
  }

  std::span<const std::uint64_t> addresses_;
  std::vector<std::size_t> order_;  ///< Indices of addresses_, by address
  std::vector<Best> best_;          ///< By index of addresses_
};

}  // namespace

std::vector<std::optional<DataHit>> MatchDataSymbols(std::span<const ElfFile* const> files,
                                                     std::span<const std::uint64_t> addresses) {
  Matcher matcher(addresses);
  for (const ElfFile* file : files) {
    for (const Elf64_Shdr& section : file->sections()) {
      if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
        matcher.AddTable(*file, section);
      }
    }
  }
  return matcher.Take();
}

}  // namespace csink::symbolizer

#include "symbolizer/names/elf/direct_calls.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "symbolizer/names/elf/plt_stubs.h"
#include "symbolizer/names/elf/unwind_bounds.h"

/// File: follows call and jump instructions with a relative target. On x86-64 every byte is tried
/// as an opcode: instructions have no fixed length, and a disassembler is not needed, because bytes
/// that are no target rarely hit the start of a function by chance.

namespace csink::symbolizer {
namespace {

/// Functions of a runtime are short. The limit bounds the work for a damaged file.
constexpr std::uint64_t kMostBytes = 64u << 10;
constexpr std::size_t kMostFunctions = 256;

std::optional<std::uint64_t> AddressIn(const ElfFile& file, const Elf64_Shdr& table,
                                       std::string_view symbol) {
  if (table.sh_link >= file.sections().size()) return std::nullopt;
  const Buffer texts = file.ReadSection(table.sh_link);
  const Bytes bytes = texts.bytes();
  const std::string_view names(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::array<Elf64_Sym, 256> piece;
  const std::size_t count = file.SymbolCount(table);
  for (std::size_t first = 0; first < count; first += piece.size()) {
    const std::size_t size = std::min(piece.size(), count - first);
    if (!file.ReadSymbols(table, first, std::span(piece).first(size))) return std::nullopt;
    for (const Elf64_Sym& entry : std::span(piece).first(size)) {
      if (ELF64_ST_TYPE(entry.st_info) != STT_FUNC || entry.st_shndx == SHN_UNDEF) continue;
      if (entry.st_name >= names.size()) continue;
      const std::string_view name = names.substr(entry.st_name);
      if (name.starts_with(symbol) && name.size() > symbol.size() && name[symbol.size()] == '\0') {
        return entry.st_value;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> AddressOf(const ElfFile& file, std::string_view symbol) {
  for (const Elf64_Shdr& section : file.sections()) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
    if (const auto address = AddressIn(file, section, symbol)) return address;
  }
  return std::nullopt;
}

std::uint32_t WordAt(Bytes code, std::size_t i) {
  return std::uint32_t{code[i]} | std::uint32_t{code[i + 1]} << 8 |
         std::uint32_t{code[i + 2]} << 16 | std::uint32_t{code[i + 3]} << 24;
}

std::uint64_t Sum(std::uint64_t address, std::int64_t distance) {
  return address + static_cast<std::uint64_t>(distance);
}

/// Intel SDM, volume 2: CALL rel32 (E8), JMP rel32 (E9), Jcc rel32 (0F 80 to 0F 8F), and JMP rel8
/// (EB), which neighbours use. Jcc rel8 has too many opcodes: other bytes would look like it.
void TargetsX86(Bytes code, std::uint64_t vaddr, std::vector<std::uint64_t>& targets) {
  for (std::size_t i = 0; i + 2 <= code.size(); ++i) {
    if (code[i] == 0xeb) {
      targets.push_back(Sum(vaddr + i + 2, static_cast<std::int8_t>(code[i + 1])));
      continue;
    }
    if (i + 5 > code.size()) continue;
    const bool conditional = i != 0 && code[i - 1] == 0x0f && (code[i] & 0xf0) == 0x80;
    if (code[i] != 0xe8 && code[i] != 0xe9 && !conditional) continue;
    targets.push_back(Sum(vaddr + i + 5, static_cast<std::int32_t>(WordAt(code, i + 1))));
  }
}

/// Arm Architecture Reference Manual: B and BL, 26 bits in units of four bytes.
void TargetsAArch64(Bytes code, std::uint64_t vaddr, std::vector<std::uint64_t>& targets) {
  for (std::size_t i = 0; i + 4 <= code.size(); i += 4) {
    const std::uint32_t word = WordAt(code, i);
    if ((word & 0x7c000000) != 0x14000000) continue;
    // Shifted to the top and back for the sign.
    const std::int32_t distance = static_cast<std::int32_t>(word << 6) >> 4;
    targets.push_back(Sum(vaddr + i, distance));
  }
}

/// Whether a stub of the PLT lies there. The first one begins like a function: its section has one
/// unwind entry.
bool IsInPlt(const ElfFile& file, std::uint64_t vaddr) {
  for (std::size_t i = 0; i < file.sections().size(); ++i) {
    const Elf64_Shdr& section = file.sections()[i];
    if (vaddr >= section.sh_addr && vaddr - section.sh_addr < section.sh_size &&
        IsPltSection(file.SectionName(i))) {
      return true;
    }
  }
  return false;
}

/// The functions that the code of `function` names.
std::vector<std::uint64_t> CalledBy(const ElfFile& file, const CodeRange& function) {
  const std::uint64_t size = std::min(function.end - function.start, kMostBytes);
  const Buffer code = file.ReadVaddr(function.start, size);
  std::vector<std::uint64_t> targets;
  if (file.machine() == EM_X86_64) {
    TargetsX86(code.bytes(), function.start, targets);
  } else if (file.machine() == EM_AARCH64) {
    TargetsAArch64(code.bytes(), function.start, targets);
  }
  std::erase_if(targets, [&](std::uint64_t target) {
    return target >= function.start && target < function.end;
  });
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  const auto ranges = MatchUnwindEntries(file, targets);
  std::vector<std::uint64_t> starts;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (ranges[i] && ranges[i]->start == targets[i] && !IsInPlt(file, targets[i])) {
      starts.push_back(targets[i]);
    }
  }
  return starts;
}

}  // namespace

std::vector<std::uint64_t> DirectCallees(const ElfFile& file, std::string_view symbol, int steps) {
  const auto first = AddressOf(file, symbol);
  if (!first) return {};
  std::set<std::uint64_t> reached;
  std::vector<std::uint64_t> open = {*first};
  for (int step = 0; step <= steps && !open.empty(); ++step) {
    std::sort(open.begin(), open.end());
    const auto ranges = MatchUnwindEntries(file, open);
    std::vector<std::uint64_t> next;
    for (const auto& range : ranges) {
      if (!range || reached.size() >= kMostFunctions || !reached.insert(range->start).second) {
        continue;
      }
      if (step == steps) continue;
      for (const std::uint64_t start : CalledBy(file, *range)) next.push_back(start);
    }
    open = std::move(next);
  }
  return {reached.begin(), reached.end()};
}

}  // namespace csink::symbolizer

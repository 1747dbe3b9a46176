#include "symbolizer/names/elf/plt_stubs.h"

#include <algorithm>
#include <map>

#include "symbolizer/names/elf/symbol_table.h"

/// File: three steps. The sections of stubs that contain an address are read, and each stub is
/// decoded (plt_decode.cpp). Then one pass over the relocations that the dynamic loader applies
/// keeps those of the decoded slots. Then the symbols of the relocations give the names; only names
/// that are needed are read.

namespace csink::symbolizer {
namespace {

/// Limit for tables that are read: files have .rela.dyn, .rela.plt and up to four sections of
/// stubs. A damaged file could name one large table thousands of times.
constexpr std::size_t kMaxTables = 8;

/// Size in bytes of one x86-64 entry. lld, and GNU ld for static programs, do not say it in
/// sh_entsize; then two short jumps 8 bytes apart show the layout.
std::uint64_t EntryBytes(const Elf64_Shdr& section, Bytes code) {
  if (section.sh_entsize == 8 || section.sh_entsize == 16 || section.sh_entsize == 32) {
    return section.sh_entsize;
  }
  const auto is_jump = [code](std::size_t at) {
    return code.size() >= at + 2 && code[at] == 0xff && code[at + 1] == 0x25;
  };
  return is_jump(0) && (is_jump(8) || code.size() == 8) ? 8 : 16;
}

/// What a relocation says about a slot.
struct Relocation {
  std::uint32_t symbol = 0;
  std::uint64_t addend = 0;
  bool is_irelative = false;
};

/// The relocations of the wanted GOT slots, and the symbol names that they refer to.
class Relocations {
 public:
  explicit Relocations(const ElfFile& file) : file_(file) {}

  /// Reads all relocation tables that the dynamic loader applies, and keeps the wanted entries.
  void Read(const std::vector<PltStub>& stubs) {
    for (const PltStub& stub : stubs) {
      if (stub.got_slot != 0) by_slot_.try_emplace(stub.got_slot);
      if (stub.relocation_index) by_index_.try_emplace(*stub.relocation_index);
    }
    std::size_t tables = 0;
    for (std::size_t i = 0; i < file_.sections().size() && tables < kMaxTables; ++i) {
      const Elf64_Shdr& section = file_.sections()[i];
      if (section.sh_type != SHT_RELA || (section.sh_flags & SHF_ALLOC) == 0) continue;
      ++tables;
      ReadTable(i, file_.SectionName(i) == ".rela.plt");
    }
  }
  std::optional<Relocation> Of(const PltStub& stub) const {
    if (stub.relocation_index) return by_index_.find(*stub.relocation_index)->second;
    return by_slot_.find(stub.got_slot)->second;
  }
  std::string_view Name(const Relocation& relocation) {
    if (!names_read_) ReadNames();
    ByteReader reader(Part(symbols_.bytes(), std::uint64_t{relocation.symbol} * sizeof(Elf64_Sym),
                           sizeof(Elf64_Sym)));
    const auto symbol = reader.Fixed<Elf64_Sym>();
    return reader.ok() ? TextAt(names_.bytes(), symbol.st_name) : std::string_view();
  }

 private:
  void ReadTable(std::size_t index, bool is_plt) {
    const Buffer table = file_.ReadSection(index);
    ByteReader reader(table.bytes());
    for (std::uint32_t i = 0; reader.left() >= sizeof(Elf64_Rela); ++i) {
      const auto record = reader.Fixed<Elf64_Rela>();
      const std::uint64_t type = ELF64_R_TYPE(record.r_info);
      const bool is_x86 = file_.machine() == EM_X86_64;
      const std::uint64_t irelative = is_x86 ? +R_X86_64_IRELATIVE : +R_AARCH64_IRELATIVE;
      const std::uint64_t jump = is_x86 ? +R_X86_64_JUMP_SLOT : +R_AARCH64_JUMP_SLOT;
      const std::uint64_t data = is_x86 ? +R_X86_64_GLOB_DAT : +R_AARCH64_GLOB_DAT;
      if (type != irelative && type != jump && type != data) continue;
      const Relocation relocation{static_cast<std::uint32_t>(ELF64_R_SYM(record.r_info)),
                                  static_cast<std::uint64_t>(record.r_addend), type == irelative};
      // The first relocation of a slot counts.
      const auto slot = by_slot_.find(record.r_offset);
      if (slot != by_slot_.end() && !slot->second) slot->second = relocation;
      const auto at = by_index_.find(i);
      // Lazy stubs count in .rela.plt alone.
      if (is_plt && at != by_index_.end()) at->second = relocation;
    }
  }
  void ReadNames() {
    names_read_ = true;
    for (std::size_t i = 0; i < file_.sections().size(); ++i) {
      const Elf64_Shdr& section = file_.sections()[i];
      // The relocations that the loader applies refer to .dynsym; static programs have none, and
      // only IRELATIVE relocations.
      if (section.sh_type != SHT_DYNSYM || section.sh_link >= file_.sections().size()) continue;
      symbols_ = file_.ReadSection(i);
      names_ = file_.ReadSection(section.sh_link);
      return;
    }
  }

  const ElfFile& file_;
  std::map<std::uint64_t, std::optional<Relocation>> by_slot_;
  std::map<std::uint32_t, std::optional<Relocation>> by_index_;
  Buffer symbols_;
  Buffer names_;
  bool names_read_ = false;
};

/// Names of functions by their start address, for relocations without a symbol (IRELATIVE): their
/// addend is the address of the resolver of an indirect function (STT_GNU_IFUNC), whose symbol has
/// that address as its value.
class ResolverNames {
 public:
  ResolverNames(const ElfFile& file, const ElfFile* static_file, std::vector<std::uint64_t> starts)
      : starts_(std::move(starts)) {
    std::sort(starts_.begin(), starts_.end());
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
    SymbolMatcher matcher(starts_);
    matcher.Add(file, SymbolMatcher::Table::kDynamic);
    if (static_file != nullptr) matcher.Add(*static_file, SymbolMatcher::Table::kStatic);
    hits_ = matcher.Match();
  }
  std::string Name(std::uint64_t start) const {
    const auto at = std::lower_bound(starts_.begin(), starts_.end(), start);
    if (at == starts_.end() || *at != start) return {};
    const auto& hit = hits_[static_cast<std::size_t>(at - starts_.begin())];
    // A symbol that merely contains the address is not the resolver's.
    return hit && hit->start == start ? hit->name : std::string();
  }

 private:
  std::vector<std::uint64_t> starts_;
  std::vector<std::optional<SymbolHit>> hits_;
};

/// Decodes the stubs of all addresses in one PLT section. Appends to `stubs`, and to `owners` the
/// index of each stub's address.
void DecodeSection(const ElfFile& file, std::size_t index, std::span<const std::uint64_t> vaddrs,
                   std::vector<PltStub>& stubs, std::vector<std::size_t>& owners) {
  const Elf64_Shdr& section = file.sections()[index];
  auto pc = std::lower_bound(vaddrs.begin(), vaddrs.end(), section.sh_addr);
  if (pc == vaddrs.end() || *pc - section.sh_addr >= section.sh_size) return;
  const Buffer code = file.ReadSection(index);
  const std::uint64_t entry = EntryBytes(section, code.bytes());
  for (; pc != vaddrs.end() && *pc - section.sh_addr < section.sh_size; ++pc) {
    const auto stub = file.machine() == EM_X86_64
                          ? DecodeStubX86(code.bytes(), section.sh_addr, entry, *pc)
                          : DecodeStubAArch64(code.bytes(), section.sh_addr, *pc);
    if (!stub) continue;
    stubs.push_back(*stub);
    owners.push_back(static_cast<std::size_t>(pc - vaddrs.begin()));
  }
}

}  // namespace

bool IsPltSection(std::string_view name) noexcept {
  return name == ".plt" || name == ".plt.sec" || name == ".plt.got" || name == ".iplt";
}

std::vector<std::optional<PltHit>> MatchPltStubs(const ElfFile& file, const ElfFile* static_file,
                                                 std::span<const std::uint64_t> vaddrs) {
  std::vector<std::optional<PltHit>> hits(vaddrs.size());
  if (!file.is_64() || (file.machine() != EM_X86_64 && file.machine() != EM_AARCH64)) return hits;
  std::vector<PltStub> stubs;
  std::vector<std::size_t> owners;
  std::size_t tables = 0;
  for (std::size_t i = 0; i < file.sections().size() && tables < kMaxTables; ++i) {
    const Elf64_Shdr& section = file.sections()[i];
    if (section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0 &&
        IsPltSection(file.SectionName(i))) {
      ++tables;
      DecodeSection(file, i, vaddrs, stubs, owners);
    }
  }
  if (stubs.empty()) return hits;

  Relocations relocations(file);
  relocations.Read(stubs);
  std::vector<std::uint64_t> resolvers;
  for (const PltStub& stub : stubs) {
    const auto relocation = relocations.Of(stub);
    if (relocation && relocation->is_irelative) resolvers.push_back(relocation->addend);
  }
  const ResolverNames resolver_names(file, static_file, std::move(resolvers));
  for (std::size_t i = 0; i < stubs.size(); ++i) {
    const auto relocation = relocations.Of(stubs[i]);
    if (!relocation) continue;
    std::string name = relocation->is_irelative ? resolver_names.Name(relocation->addend)
                                                : std::string(relocations.Name(*relocation));
    if (!name.empty()) hits[owners[i]] = PltHit{std::move(name), stubs[i].start};
  }
  return hits;
}

}  // namespace csink::symbolizer

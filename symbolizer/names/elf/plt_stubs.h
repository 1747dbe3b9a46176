#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/names/elf/file.h"

namespace csink::symbolizer {

/// A stub of the procedure linkage table (PLT) that covers an address.
struct PltHit {
  std::string target;  ///< The function it jumps to, without "@plt"
  std::uint64_t start = 0;
};

/// Whether a section of this name consists of such stubs.
bool IsPltSection(std::string_view name) noexcept;

/// Names the stubs in .plt, .plt.sec, .plt.got and .iplt (x86-64, AArch64; 64-bit files only),
/// which no symbol table names. The stub's code tells the GOT slot through which it jumps, and a
/// relocation tells whose address is stored there; this holds for the layout of every linker, while
/// counting entries does not: layouts differ in headers, sizes and order.
///
/// `vaddrs` is sorted; the result has one answer for each address; nullopt: the address is in no
/// stub, or the stub has no name. `file` is the file that was mapped: a separate debug file has no
/// code. `static_file` (null: none) is the file that has the .symtab: IRELATIVE relocations have no
/// symbol, but .symtab names their resolver.
std::vector<std::optional<PltHit>> MatchPltStubs(const ElfFile& file, const ElfFile* static_file,
                                                 std::span<const std::uint64_t> vaddrs);

/// What the code of one stub says. Public for tests.
struct PltStub {
  /// Address of the first instruction, in the file's own address space. Of endbr64 or bti where
  /// there is one.
  std::uint64_t start = 0;
  std::uint64_t got_slot = 0;                     ///< 0: the code contains none
  std::optional<std::uint32_t> relocation_index;  ///< Lazy stub of x86-64: the index that it pushes
};
/// The stub that covers `vaddr` in a section at `section_vaddr`; nullopt: the table's header,
/// padding, or code that no known linker writes. `section` is the whole section, `entry_bytes` the
/// size of one entry (8, 16 or 32). Entries of AArch64 have no common size; there the end of a stub
/// is found by its branch.
std::optional<PltStub> DecodeStubX86(Bytes section, std::uint64_t section_vaddr,
                                     std::uint64_t entry_bytes, std::uint64_t vaddr);
std::optional<PltStub> DecodeStubAArch64(Bytes section, std::uint64_t section_vaddr,
                                         std::uint64_t vaddr);

}  // namespace csink::symbolizer

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/elf/file.h"

namespace csink::symbolizer {

/// A stub of the procedure linkage table that covers an address.
struct PltHit {
  std::string target;  ///< The function it jumps to, without "@plt"
  std::uint64_t start = 0;
};

/// Names the stubs in .plt, .plt.sec, .plt.got and .iplt (x86-64, AArch64): no symbol
/// table has names for them. The stub's own code says which GOT slot it jumps
/// through, and a relocation says whose address is put there; this holds for every
/// linker's layout. `vaddrs` is sorted; one answer per address.
/// `static_file` is where the .symtab is: IRELATIVE relocations have no name of
/// their own, but there the resolver's symbol does.
std::vector<std::optional<PltHit>> MatchPltStubs(const ElfFile& file, const ElfFile* static_file,
                                                 std::span<const std::uint64_t> vaddrs);

/// What one stub's code says. Exposed for tests.
struct PltStub {
  std::uint64_t start = 0;
  std::uint64_t got_slot = 0;                     ///< 0: none in the code
  std::optional<std::uint32_t> relocation_index;  ///< Lazy stub of x86-64: pushes its index
};
/// The stub that covers `vaddr` in a section at `section_vaddr`.
std::optional<PltStub> DecodeStubX86(Bytes section, std::uint64_t section_vaddr,
                                     std::uint64_t entry_bytes, std::uint64_t vaddr);
std::optional<PltStub> DecodeStubAArch64(Bytes section, std::uint64_t section_vaddr,
                                         std::uint64_t vaddr);

}  // namespace csink::symbolizer

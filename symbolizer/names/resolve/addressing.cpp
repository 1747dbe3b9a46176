#include "symbolizer/names/resolve/addressing.h"

#include <algorithm>

namespace csink::symbolizer {
namespace {

/// False for separate debug files: objcopy --only-keep-debug keeps the program headers, but the
/// segments have no bytes (p_filesz is 0).
bool CanBeMapped(const ElfFile& file) {
  const auto segments = file.segments();
  return std::any_of(segments.begin(), segments.end(), [](const Elf64_Phdr& segment) {
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && segment.p_filesz != 0;
  });
}

/// Whether a section of code contains the address.
bool IsInCode(const ElfFile& file, std::uint64_t vaddr) {
  constexpr std::uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
  const auto sections = file.sections();
  return std::any_of(sections.begin(), sections.end(), [&](const Elf64_Shdr& section) {
    return (section.sh_flags & kCode) == kCode && vaddr >= section.sh_addr &&
           vaddr - section.sh_addr < section.sh_size;
  });
}

}  // namespace

std::optional<std::uint64_t> PlaceOf(const ElfFile& file, std::uint64_t vaddr) {
  if (!CanBeMapped(file)) return IsInCode(file, vaddr) ? std::optional(vaddr) : std::nullopt;
  // The first segment that contains the address: addresses of segments do not overlap, while their
  // file offsets may share a page.
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || vaddr < segment.p_vaddr) continue;
    if (vaddr - segment.p_vaddr < segment.p_filesz) {
      return vaddr - segment.p_vaddr + segment.p_offset;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> AddressAt(const ElfFile& file, std::uint64_t place) {
  return CanBeMapped(file) ? file.OffsetToVaddr(place) : std::optional(place);
}

}  // namespace csink::symbolizer

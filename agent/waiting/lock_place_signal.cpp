#include <elf.h>

#include "agent/waiting/lock_place.h"
#include "core/machine/maps.h"

/// File: which module contains a lock. A report names a lock by its variable, but the agent reads
/// no symbol tables: it stores the module and the offset, and csink finds the name. Nothing is kept
/// between two calls, because libraries come and go.

namespace csink::agent {
namespace {

constexpr std::uint64_t kPage = 4096;
// The header is memory of the program and may have any contents. Images have about a dozen.
constexpr unsigned kMaxProgramHeaders = 64;

// The search through the list of mappings, in address order.
struct Search {
  std::uint64_t address;
  std::uint64_t image = 0;      // ELF header of the image of the last mapping of a file
  std::uint64_t image_end = 0;  // behind that image's last mapping so far
  std::uint64_t code = 0;       // its first executable mapping
  bool found = false;
};

// One line of the list. Ends the walk at the mapping that contains the address, or behind it.
bool Visit(const MapsLine& line, void* arg) noexcept {
  auto& search = *static_cast<Search*>(arg);
  const bool anonymous = line.inode == 0 && line.path.empty();
  // image_start is 0 for a file that is no image, such as mapped data.
  if (line.image_start != 0 && line.inode != 0) {
    if (line.image_start != search.image) search.code = 0;
    search.image = line.image_start;
    search.image_end = line.end;
    // The spool names a module by a region of its code (PlaceOneLock).
    if (line.executable && search.code == 0) search.code = line.start;
  } else if (anonymous && search.image != 0 && line.start == search.image_end) {
    // The .bss follows its file's last mapping directly.
    search.image_end = line.end;
  } else {
    // Memory of the heap or of a stack lies between two images.
    search.image = 0;
  }
  if (search.address >= line.end) return true;
  // In a gap between two mappings line.start is already behind the address.
  search.found = search.address >= line.start && search.image != 0;
  return false;
}

// The place of an address in the segments of an image. The load bias is that of the first PT_LOAD,
// as in ImageFrames. Anonymous memory of others may follow an image directly, and the list of
// mappings shows it as one with the .bss. False: not in a segment, or no ELF image of this class.
template <class Header, class ProgramHeader>
bool OffsetIn(std::uint64_t image, unsigned char elf_class, std::uint64_t address,
              ProcessMemory& memory, std::uint64_t& offset) noexcept {
  Header elf;
  if (!memory.Read(image, elf) || elf.e_ident[EI_MAG0] != ELFMAG0 ||
      elf.e_ident[EI_CLASS] != elf_class || elf.e_phentsize != sizeof(ProgramHeader) ||
      elf.e_phnum > kMaxProgramHeaders) {
    return false;
  }
  bool has_bias = false;
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    ProgramHeader part;
    if (!memory.Read(image + elf.e_phoff + i * sizeof part, part)) return false;
    if (part.p_type != PT_LOAD) continue;
    if (!has_bias) {
      offset = address - (image - ((std::uint64_t{part.p_vaddr} - part.p_offset) & ~(kPage - 1)));
      has_bias = true;
    }
    if (offset >= part.p_vaddr && offset - part.p_vaddr < part.p_memsz) return true;
  }
  return false;
}

}  // namespace

DataPlace PlaceOfData(const char* maps, std::uint64_t address, ProcessMemory& memory) noexcept {
  Search search = {address};
  (void)ForEachMapping(maps, Visit, &search);
  std::uint64_t offset = 0;
  if (!search.found || search.code == 0) return {};
  // A 32-bit process may be observed from outside.
  if (!OffsetIn<Elf64_Ehdr, Elf64_Phdr>(search.image, ELFCLASS64, address, memory, offset) &&
      !OffsetIn<Elf32_Ehdr, Elf32_Phdr>(search.image, ELFCLASS32, address, memory, offset)) {
    return {};
  }
  return {search.code, offset};
}

}  // namespace csink::agent

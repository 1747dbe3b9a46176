#include <elf.h>

#include "core/machine/maps.h"
#include "core/machine/process_memory.h"

// File: the notes are found by the program headers of the image in memory: files of an image may be
// gone, and section headers are not mapped.

namespace csink {
namespace {

constexpr std::uint64_t kPage = 4096;  // the smallest page size of x86-64 and aarch64
// Limits for damaged or hostile headers: each entry costs a read. Real images have about a dozen
// headers and a handful of notes.
constexpr unsigned kMaxProgramHeaders = 128;
constexpr unsigned kMaxNotes = 64;

// The image is the program's memory and may be anything, also in the middle of a change by a JIT
// compiler.
bool IsOurElf(const Elf64_Ehdr& header) noexcept {
  return header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_MAG1] == ELFMAG1 &&
         header.e_ident[EI_MAG2] == ELFMAG2 && header.e_ident[EI_MAG3] == ELFMAG3 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= kMaxProgramHeaders;
}

// A note's head and the first four bytes behind it, which are the name "GNU" where n_namesz is 4.
struct NoteHead {
  Elf64_Nhdr header;
  char name[4];
};

/// Searches the notes in [address, address + size) for the build-id. Returns its size; 0: none.
std::size_t FindInNotes(ProcessMemory& memory, std::uint64_t address, std::uint64_t size,
                        std::uint64_t align, std::uint8_t* out) noexcept {
  std::uint64_t at = 0;
  for (unsigned i = 0; i < kMaxNotes && at < size && size - at > sizeof(NoteHead); ++i) {
    NoteHead note;
    if (!memory.Read(address + at, &note, sizeof(note))) return 0;
    // The note's fields have 32 bits, so the sums below cannot overflow 64 bits.
    const std::uint64_t name_end = sizeof(Elf64_Nhdr) + std::uint64_t{note.header.n_namesz};
    const std::uint64_t desc_start = (name_end + align - 1) & ~(align - 1);
    const std::uint64_t desc_end = desc_start + note.header.n_descsz;
    // A note that ends behind its segment is damaged; nothing behind it can be found either.
    if (desc_end > size - at) return 0;
    const bool gnu = note.header.n_namesz == 4 && note.name[0] == 'G' && note.name[1] == 'N' &&
                     note.name[2] == 'U' && note.name[3] == 0;
    if (gnu && note.header.n_type == NT_GNU_BUILD_ID && note.header.n_descsz != 0) {
      const std::size_t take =
          note.header.n_descsz < kMaxBuildIdBytes ? note.header.n_descsz : kMaxBuildIdBytes;
      return memory.Read(address + at + desc_start, out, take) ? take : 0;
    }
    at += (desc_end + align - 1) & ~(align - 1);
  }
  return 0;
}

}  // namespace

std::size_t ReadBuildId(std::uint64_t elf_header_address,
                        std::uint8_t (&out)[kMaxBuildIdBytes]) noexcept {
  ProcessMemory memory;
  Elf64_Ehdr header;
  if (!memory.Read(elf_header_address, &header, sizeof(header)) || !IsOurElf(header)) return 0;
  const std::uint64_t table = elf_header_address + header.e_phoff;

  // The address of a note is relative to the load bias. The bias follows from the segment that
  // holds the ELF header; program headers come in no fixed order, hence two passes.
  Elf64_Phdr segment;
  bool have_bias = false;
  std::uint64_t bias = 0;
  for (unsigned i = 0; i < header.e_phnum && !have_bias; ++i) {
    if (!memory.Read(table + i * sizeof(segment), &segment, sizeof(segment))) return 0;
    if (segment.p_type != PT_LOAD || segment.p_offset >= kPage) continue;
    bias = elf_header_address - (segment.p_vaddr - segment.p_offset);
    have_bias = true;
  }
  if (!have_bias) return 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    if (!memory.Read(table + i * sizeof(segment), &segment, sizeof(segment))) return 0;
    if (segment.p_type != PT_NOTE) continue;
    const std::size_t size = FindInNotes(memory, bias + segment.p_vaddr, segment.p_memsz,
                                         // Notes are padded to 4 bytes, except in segments aligned
                                         // to 8 (.note.gnu.property, psABI x86-64).
                                         segment.p_align == 8 ? 8 : 4, out);
    if (size != 0) return size;
  }
  return 0;
}

}  // namespace csink

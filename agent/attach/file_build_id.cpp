#include "agent/attach/file_build_id.h"

#include <elf.h>
#include <unistd.h>

#include <cstring>

/// File: see the header. The layouts are those of the System V ABI, chapters 4 and 5.

namespace csink::attach {
namespace {

// Limits for damaged files: each entry costs a read.
constexpr unsigned kMaxProgramHeaders = 128;
constexpr unsigned kMaxNotes = 64;

bool ReadAt(int fd, void* to, std::size_t bytes, std::uint64_t at) {
  return pread(fd, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

struct Notes {
  std::uint64_t at;
  std::uint64_t bytes;
  std::uint64_t align;
};

std::size_t FindInNotes(int fd, const Notes& notes, std::uint8_t* out) {
  std::uint64_t at = 0;
  for (unsigned i = 0; i < kMaxNotes && at < notes.bytes && notes.bytes - at > 16; ++i) {
    // The head is the same in both classes: three words of 32 bits, then the name.
    struct {
      Elf64_Nhdr header;
      char name[4];
    } note;
    static_assert(sizeof note == 16);
    if (!ReadAt(fd, &note, sizeof note, notes.at + at)) return 0;
    const std::uint64_t name_end = sizeof(Elf64_Nhdr) + std::uint64_t{note.header.n_namesz};
    const std::uint64_t start = (name_end + notes.align - 1) & ~(notes.align - 1);
    const std::uint64_t end = start + note.header.n_descsz;
    if (end > notes.bytes - at) return 0;
    const bool gnu = note.header.n_namesz == 4 && std::memcmp(note.name, "GNU", 4) == 0;
    if (gnu && note.header.n_type == NT_GNU_BUILD_ID && note.header.n_descsz != 0) {
      const std::size_t take =
          note.header.n_descsz < kMaxBuildIdBytes ? note.header.n_descsz : kMaxBuildIdBytes;
      return ReadAt(fd, out, take, notes.at + at + start) ? take : 0;
    }
    at += (end + notes.align - 1) & ~(notes.align - 1);
  }
  return 0;
}

template <class Header, class Segment>
std::size_t Find(int fd, std::uint8_t* out) {
  Header elf;
  if (!ReadAt(fd, &elf, sizeof elf, 0) || elf.e_phentsize != sizeof(Segment) ||
      elf.e_phnum > kMaxProgramHeaders) {
    return 0;
  }
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    Segment segment;
    const std::uint64_t at = elf.e_phoff + std::uint64_t{i} * sizeof segment;
    if (!ReadAt(fd, &segment, sizeof segment, at)) return 0;
    if (segment.p_type != PT_NOTE) continue;
    // Padded to 4 bytes, except in segments aligned to 8 (.note.gnu.property, psABI x86-64).
    const Notes notes = {segment.p_offset, segment.p_filesz, segment.p_align == 8 ? 8u : 4u};
    if (const std::size_t bytes = FindInNotes(fd, notes, out)) return bytes;
  }
  return 0;
}

}  // namespace

std::size_t ReadFileBuildId(int fd, std::uint8_t (&out)[kMaxBuildIdBytes]) {
  unsigned char ident[EI_NIDENT];
  if (!ReadAt(fd, ident, sizeof ident, 0) || std::memcmp(ident, ELFMAG, SELFMAG) != 0 ||
      ident[EI_DATA] != ELFDATA2LSB) {
    return 0;
  }
  if (ident[EI_CLASS] == ELFCLASS64) return Find<Elf64_Ehdr, Elf64_Phdr>(fd, out);
  if (ident[EI_CLASS] == ELFCLASS32) return Find<Elf32_Ehdr, Elf32_Phdr>(fd, out);
  return 0;
}

}  // namespace csink::attach

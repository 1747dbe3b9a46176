#include "agent/attach/program_frames.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/machine/frame_entry.h"
#include "core/util/unique_fd.h"

/// File: see the header. The file is the profiled program's and may be damaged: every read is
/// checked.

namespace csink::attach {
namespace {

// More than any program has.
constexpr std::uint64_t kMostBytes = 256 << 20;
constexpr unsigned kMostHeaders = 4096;

bool ReadAt(int fd, std::uint64_t offset, void* out, std::size_t size) {
  return pread(fd, out, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

bool HasSortedTable(int fd, const Elf64_Ehdr& elf) {
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!ReadAt(fd, elf.e_phoff + i * sizeof part, &part, sizeof part)) return false;
    if (part.p_type == PT_GNU_EH_FRAME) return true;
  }
  return false;
}

// The header of the section .eh_frame.
std::optional<Elf64_Shdr> FindSection(int fd, const Elf64_Ehdr& elf) {
  if (elf.e_shentsize != sizeof(Elf64_Shdr) || elf.e_shnum > kMostHeaders ||
      elf.e_shstrndx >= elf.e_shnum) {
    return std::nullopt;
  }
  std::vector<Elf64_Shdr> sections(elf.e_shnum);
  if (!ReadAt(fd, elf.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr))) {
    return std::nullopt;
  }
  constexpr char kName[] = ".eh_frame";
  for (const Elf64_Shdr& section : sections) {
    char name[sizeof kName];
    if (ReadAt(fd, sections[elf.e_shstrndx].sh_offset + section.sh_name, name, sizeof name) &&
        std::memcmp(name, kName, sizeof name) == 0) {
      return section;
    }
  }
  return std::nullopt;
}

// The CIE that these bytes begin with; nullopt: damaged, or not supported.
std::optional<CommonEntry> CommonEntryAt(FrameBytes bytes) {
  const auto length = bytes.Take<std::uint32_t>();
  FrameBytes body = bytes.Part(length);
  CommonEntry common;
  if (bytes.broken() || body.Take<std::uint32_t>() != 0 || !ReadCommonEntry(body, common)) {
    return std::nullopt;
  }
  return common;
}

}  // namespace

std::vector<FrameEntry> ListFrameEntries(const unsigned char* section, std::size_t bytes,
                                         std::uint64_t address) {
  std::vector<FrameEntry> entries;
  FrameBytes rest(section, section + bytes, address);
  while (rest.more()) {
    const std::uint64_t entry = rest.address();
    const auto length = rest.Take<std::uint32_t>();
    // Object files may each end their part with a zero. From 0xfffffff0 on: the 64-bit format.
    if (length == 0) continue;
    FrameBytes body = rest.Part(length);
    if (length >= 0xfffffff0u || rest.broken()) break;
    // The pointer to the CIE counts backwards from its own field; 0: this is a CIE.
    const std::uint64_t field = body.address() - address;
    const auto back = body.Take<std::uint32_t>();
    if (body.broken()) break;
    if (back == 0 || back > field) continue;
    const auto common = CommonEntryAt({section + (field - back), section + bytes, 0});
    if (!common) continue;
    const std::uint64_t code = body.Pointer(common->encoding);
    if (!body.broken()) entries.push_back({code, entry});
  }
  std::sort(entries.begin(), entries.end(),
            [](const FrameEntry& a, const FrameEntry& b) { return a.code < b.code; });
  return entries;
}

ProgramFrames::ProgramFrames(const std::string& folder) {
  const UniqueFd fd(open((folder + "/exe").c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_Ehdr elf;
  if (!fd || !ReadAt(fd.get(), 0, &elf, sizeof elf) ||
      std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_type != ET_EXEC ||
      HasSortedTable(fd.get(), elf)) {
    return;
  }
  const auto section = FindSection(fd.get(), elf);
  if (!section || section->sh_type == SHT_NOBITS || section->sh_size > kMostBytes) return;
  std::vector<unsigned char> bytes(section->sh_size);
  if (!ReadAt(fd.get(), section->sh_offset, bytes.data(), bytes.size())) return;
  entries_ = ListFrameEntries(bytes.data(), bytes.size(), section->sh_addr);
}

std::uint64_t ProgramFrames::EntryOf(std::uint64_t pc) noexcept {
  const auto behind =
      std::upper_bound(entries_.begin(), entries_.end(), pc,
                       [](std::uint64_t at, const FrameEntry& entry) { return at < entry.code; });
  return behind == entries_.begin() ? 0 : std::prev(behind)->entry;
}

}  // namespace csink::attach

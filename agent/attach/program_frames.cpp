#include "agent/attach/program_frames.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/util/unique_fd.h"

/// File: see the header. The file is the profiled program's and may be damaged: every read is
/// checked.

namespace csink::attach {
namespace {

// Encodings of pointers (DW_EH_PE_*): the form in the low four bits, what it is relative to above.
constexpr unsigned char kAbsolute = 0x00;
constexpr unsigned char kSigned4 = 0x0b;
constexpr unsigned char kSigned8 = 0x0c;
constexpr unsigned char kRelative = 0x10;
constexpr unsigned char kOmit = 0xff;
// More than any program has.
constexpr std::uint64_t kMostBytes = 256 << 20;
constexpr unsigned kMostHeaders = 4096;

/// Reads bytes in order. After a read past the end all further ones give 0.
class Cursor {
 public:
  Cursor(const unsigned char* at, const unsigned char* end) : at_(at), end_(end) {}
  bool broken() const { return broken_; }
  template <class T>
  T Take() {
    T value = {};
    if (static_cast<std::size_t>(end_ - at_) < sizeof value) {
      broken_ = true;
      at_ = end_;
      return {};
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  /// A LEB128 of either kind.
  void SkipNumber() {
    while (Take<unsigned char>() & 0x80) {
    }
  }
  void Skip(std::size_t bytes) {
    broken_ |= bytes > static_cast<std::size_t>(end_ - at_);
    at_ = broken_ ? end_ : at_ + bytes;
  }

 private:
  const unsigned char* at_;
  const unsigned char* end_;
  bool broken_ = false;
};

// Bytes of a pointer in this encoding; 0: a form that linkers do not write.
std::size_t SizeOf(unsigned char encoding) {
  switch (encoding & 0x0f) {
    case kSigned4:
    case 0x03:  // unsigned, four bytes
      return 4;
    case kAbsolute:
    case kSigned8:
    case 0x04:  // unsigned, eight bytes
      return 8;
    default:
      return 0;
  }
}

// The encoding of the code pointers of the descriptions of a CIE, whose bytes behind its length
// these are; kOmit: not known.
unsigned char EncodingOf(Cursor cie) {
  cie.Take<std::uint32_t>();
  const auto version = cie.Take<unsigned char>();
  char augmentation[9] = {};
  std::size_t size = 0;
  for (char c = cie.Take<char>(); c != 0 && size < sizeof augmentation - 1; c = cie.Take<char>()) {
    augmentation[size++] = c;
  }
  cie.SkipNumber();
  cie.SkipNumber();
  if (version == 1) {
    cie.Take<unsigned char>();
  } else {
    cie.SkipNumber();
  }
  if (augmentation[0] == 0) return kAbsolute;
  if (augmentation[0] != 'z') return kOmit;
  cie.SkipNumber();
  unsigned char encoding = kAbsolute;
  for (const char* c = augmentation + 1; *c != 0; ++c) {
    if (*c == 'R') encoding = cie.Take<unsigned char>();
    if (*c == 'L') cie.Take<unsigned char>();
    if (*c == 'P') {
      const auto routine = cie.Take<unsigned char>();
      if (routine != kOmit && SizeOf(routine) == 0) return kOmit;
      cie.Skip(routine == kOmit ? 0 : SizeOf(routine));
    }
  }
  return cie.broken() ? kOmit : encoding;
}

// A pointer in this encoding that stands at address `at`; nullopt: not supported.
std::optional<std::uint64_t> PointerOf(Cursor& bytes, unsigned char encoding, std::uint64_t at) {
  const std::size_t size = SizeOf(encoding);
  const unsigned base = encoding & 0xf0;
  if (encoding == kOmit || size == 0 || (base != 0 && base != kRelative)) return std::nullopt;
  std::uint64_t value = 0;
  if (size == 8) {
    value = bytes.Take<std::uint64_t>();
  } else if ((encoding & 0x0f) == kSigned4) {
    value = static_cast<std::uint64_t>(std::int64_t{bytes.Take<std::int32_t>()});
  } else {
    value = bytes.Take<std::uint32_t>();
  }
  if (bytes.broken()) return std::nullopt;
  return base == kRelative ? value + at : value;
}

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

}  // namespace

std::vector<FrameEntry> ListFrameEntries(const unsigned char* section, std::size_t bytes,
                                         std::uint64_t address) {
  std::vector<FrameEntry> entries;
  std::size_t at = 0;
  while (bytes - at > 2 * sizeof(std::uint32_t)) {
    Cursor head(section + at, section + bytes);
    const auto length = head.Take<std::uint32_t>();
    // Object files may each end their part with a zero. From 0xfffffff0 on: the 64-bit format.
    if (length == 0) {
      at += sizeof length;
      continue;
    }
    const std::size_t body = at + sizeof length;
    if (length >= 0xfffffff0u || length < sizeof(std::uint32_t) || length > bytes - body) break;
    const auto back = head.Take<std::uint32_t>();
    // The pointer to the CIE counts backwards from its own field; 0: this is a CIE.
    if (back != 0 && back <= body) {
      const unsigned char* common = section + body - back;
      Cursor size(common, section + bytes);
      const auto common_length = size.Take<std::uint32_t>();
      if (common_length <= static_cast<std::size_t>(section + bytes - common) - sizeof length) {
        const unsigned char encoding =
            EncodingOf(Cursor(common + sizeof length, common + sizeof length + common_length));
        Cursor rest(section + body + sizeof back, section + body + length);
        const auto code = PointerOf(rest, encoding, address + body + sizeof back);
        if (code) entries.push_back({*code, address + at});
      }
    }
    at = body + length;
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

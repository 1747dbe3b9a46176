#include "symbolizer/names/elf/unwind_bounds.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace csink::symbolizer {
namespace {

constexpr std::uint64_t kLoadVaddr = 0x10000;
constexpr std::uint8_t kAbsolute = 0x00;
constexpr std::uint8_t kPcRelative = 0x10;  // With the size of a pointer

template <class T>
void Append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The records of a class of ELF files.
struct Wide {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
  using Pointer = std::uint64_t;
  static constexpr unsigned char kClass = ELFCLASS64;
};
struct Narrow {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
  using Pointer = std::uint32_t;
  static constexpr unsigned char kClass = ELFCLASS32;
};

/// .eh_frame at `vaddr` with one function, [start, start + size).
template <class Class>
std::string UnwindEntries(std::uint64_t vaddr, std::uint8_t encoding, std::uint64_t start,
                          std::uint64_t size) {
  using Pointer = typename Class::Pointer;
  std::string body;  // Of the CIE
  Append<std::uint32_t>(body, 0);
  body += '\1';
  body.append("zR", 3);
  body += {'\1', '\x7c', '\x10', '\1', static_cast<char>(encoding)};
  body.resize((body.size() + 3) / 4 * 4);
  std::string bytes;
  Append<std::uint32_t>(bytes, static_cast<std::uint32_t>(body.size()));
  bytes += body;
  Append<std::uint32_t>(bytes, 4 + 2 * sizeof(Pointer));
  Append<std::uint32_t>(bytes, static_cast<std::uint32_t>(bytes.size()));  // Back to the CIE
  const std::uint64_t base = encoding == kPcRelative ? vaddr + bytes.size() : 0;
  Append<Pointer>(bytes, static_cast<Pointer>(start - base));
  Append<Pointer>(bytes, static_cast<Pointer>(size));
  Append<std::uint32_t>(bytes, 0);
  return bytes;
}

/// A file of one segment with .eh_frame and no .eh_frame_hdr.
template <class Class>
ElfFile MakeFile(std::uint8_t encoding, std::uint64_t start, std::uint64_t size) {
  typename Class::Header header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = Class::kClass;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = Class::kClass == ELFCLASS64 ? EM_X86_64 : EM_386;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(typename Class::Segment);
  header.e_phnum = 1;
  header.e_shentsize = sizeof(typename Class::Section);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  const std::size_t frame_at = sizeof header + sizeof(typename Class::Segment);
  const std::string frame = UnwindEntries<Class>(kLoadVaddr + frame_at, encoding, start, size);
  const std::string names("\0.eh_frame\0.shstrtab", 21);
  std::string rest = frame + names;
  rest.resize((rest.size() + 7) / 8 * 8);
  header.e_shoff = static_cast<decltype(header.e_shoff)>(frame_at + rest.size());

  typename Class::Segment segment = {};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_vaddr = kLoadVaddr;
  segment.p_filesz = segment.p_memsz = header.e_shoff;
  typename Class::Section sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_addr = static_cast<decltype(sections[1].sh_addr)>(kLoadVaddr + frame_at);
  sections[1].sh_offset = static_cast<decltype(sections[1].sh_offset)>(frame_at);
  sections[1].sh_size = static_cast<decltype(sections[1].sh_size)>(frame.size());
  sections[2].sh_name = 11;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = static_cast<decltype(sections[2].sh_offset)>(frame_at + frame.size());
  sections[2].sh_size = static_cast<decltype(sections[2].sh_size)>(names.size());

  std::string bytes;
  Append(bytes, header);
  Append(bytes, segment);
  bytes += rest;
  for (const auto& section : sections) Append(bytes, section);
  Buffer memory(bytes.size());
  std::memcpy(memory.data(), bytes.data(), bytes.size());
  auto file = ElfFile::Read(ObjectBytes::FromMemory(std::move(memory)));
  EXPECT_TRUE(file);
  return std::move(*file);
}

/// Expects that the file's one function is [0x1000, 0x1040).
void ExpectFunction(const ElfFile& file) {
  const std::uint64_t vaddrs[] = {0xfff, 0x1000, 0x103f, 0x1040};
  const auto ranges = MatchUnwindEntries(file, vaddrs);
  ASSERT_EQ(ranges.size(), 4u);
  EXPECT_FALSE(ranges[0]);
  ASSERT_TRUE(ranges[1]);
  EXPECT_EQ(ranges[1]->start, 0x1000u);
  EXPECT_EQ(ranges[1]->end, 0x1040u);
  EXPECT_TRUE(ranges[2]);
  EXPECT_FALSE(ranges[3]);
}

TEST(MatchUnwindEntries, ReadsAbsolutePointersWithTheSizeOfTheFilesClass) {
  ExpectFunction(MakeFile<Wide>(kAbsolute, 0x1000, 0x40));
  ExpectFunction(MakeFile<Narrow>(kAbsolute, 0x1000, 0x40));
}

TEST(MatchUnwindEntries, WrapsDistancesBackAtTheSizeOfTheFilesClass) {
  ExpectFunction(MakeFile<Wide>(kPcRelative, 0x1000, 0x40));
  ExpectFunction(MakeFile<Narrow>(kPcRelative, 0x1000, 0x40));
}

}  // namespace
}  // namespace csink::symbolizer

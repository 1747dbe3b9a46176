#include "agent/attach/program_frames.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/agent/attach/made_proc.h"

namespace csink::attach {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MadeProc;

constexpr std::uint64_t kAddress = 0x500000;

/// Builds the bytes of a section .eh_frame.
class Section {
 public:
  /// A CIE whose descriptions have pointers in this encoding. Returns its place.
  std::size_t AddCommon(unsigned char encoding) {
    return Add(0, {1, 'z', 'R', 0, 1, 0x78, 16, 1, encoding, 0, 0, 0});
  }
  /// A description of the code at `code`, relative to its own field. Returns its place.
  std::size_t AddRelative(std::size_t common, std::uint64_t code) {
    const std::size_t at = bytes_.size();
    const auto distance = static_cast<std::int32_t>(code - (kAddress + at + 8));
    std::vector<unsigned char> body(8);
    std::memcpy(body.data(), &distance, sizeof distance);
    return Add(static_cast<std::uint32_t>(at + 4 - common), body);
  }
  void AddZero() { bytes_.insert(bytes_.end(), 4, 0); }
  std::vector<FrameEntry> List(std::size_t left_out = 0) const {
    return ListFrameEntries(bytes_.data(), bytes_.size() - left_out, kAddress);
  }
  std::vector<unsigned char>& bytes() { return bytes_; }

 private:
  std::size_t Add(std::uint32_t identifier, const std::vector<unsigned char>& body) {
    const std::size_t at = bytes_.size();
    const auto length = static_cast<std::uint32_t>(sizeof identifier + body.size());
    for (const std::uint32_t word : {length, identifier}) {
      unsigned char text[sizeof word];
      std::memcpy(text, &word, sizeof word);
      bytes_.insert(bytes_.end(), text, text + sizeof word);
    }
    bytes_.insert(bytes_.end(), body.begin(), body.end());
    return at;
  }

  std::vector<unsigned char> bytes_;
};

TEST(ProgramFrames, ListsDescriptionsInTheOrderOfTheirCode) {
  Section section;
  const std::size_t common = section.AddCommon(0x1b);
  const std::size_t second = section.AddRelative(common, 0x402000);
  const std::size_t first = section.AddRelative(common, 0x401000);
  EXPECT_THAT(section.List(), ElementsAre(FrameEntry{0x401000, kAddress + first},
                                          FrameEntry{0x402000, kAddress + second}));
}

TEST(ProgramFrames, GoesOnBehindAZero) {
  Section section;
  const std::size_t common = section.AddCommon(0x1b);
  section.AddRelative(common, 0x401000);
  section.AddZero();
  section.AddRelative(common, 0x402000);
  EXPECT_EQ(section.List().size(), 2u);
}

TEST(ProgramFrames, LeavesOutEncodingsThatLinkersDoNotWrite) {
  Section section;
  const std::size_t unusual = section.AddCommon(0x9b);  // indirect
  section.AddRelative(unusual, 0x401000);
  const std::size_t usual = section.AddCommon(0x1b);
  section.AddRelative(usual, 0x402000);
  ASSERT_EQ(section.List().size(), 1u);
  EXPECT_EQ(section.List()[0].code, 0x402000u);
}

TEST(ProgramFrames, EndsAtAnEntryThatIsCut) {
  Section section;
  const std::size_t common = section.AddCommon(0x1b);
  section.AddRelative(common, 0x401000);
  section.AddRelative(common, 0x402000);
  EXPECT_EQ(section.List(1).size(), 1u);
  for (std::size_t left_out = 0; left_out <= section.bytes().size(); ++left_out) {
    EXPECT_LE(section.List(left_out).size(), 2u);
  }
}

TEST(ProgramFrames, ADamagedPointerToTheCommonPartIsNotFollowed) {
  Section section;
  const std::size_t common = section.AddCommon(0x1b);
  const std::size_t at = section.AddRelative(common, 0x401000);
  const std::uint32_t far = 0x7fffffff;
  std::memcpy(section.bytes().data() + at + 4, &far, sizeof far);
  EXPECT_THAT(section.List(), IsEmpty());
}

/// An ELF file that has these bytes as its section .eh_frame. `has_table`: it also has a sorted
/// table.
std::string ProgramWith(const std::vector<unsigned char>& section, bool has_table) {
  constexpr char kNames[] = "\0.eh_frame";
  constexpr std::size_t kSectionAt = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  Elf64_Ehdr elf = {};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_ident[EI_CLASS] = ELFCLASS64;
  elf.e_ident[EI_DATA] = ELFDATA2LSB;
  elf.e_type = ET_EXEC;
  elf.e_phoff = sizeof elf;
  elf.e_phnum = 1;
  elf.e_phentsize = sizeof(Elf64_Phdr);
  elf.e_shoff = kSectionAt + section.size() + sizeof kNames;
  elf.e_shentsize = sizeof(Elf64_Shdr);
  elf.e_shnum = 2;
  elf.e_shstrndx = 0;
  Elf64_Phdr part = {};
  part.p_type = has_table ? PT_GNU_EH_FRAME : PT_LOAD;
  Elf64_Shdr names = {};
  names.sh_offset = kSectionAt + section.size();
  Elf64_Shdr frames = {};
  frames.sh_name = 1;
  frames.sh_type = SHT_PROGBITS;
  frames.sh_addr = kAddress;
  frames.sh_offset = kSectionAt;
  frames.sh_size = section.size();
  const auto bytes = [](const auto& object) {
    return std::string(reinterpret_cast<const char*>(&object), sizeof object);
  };
  return bytes(elf) + bytes(part) + std::string(section.begin(), section.end()) + bytes(kNames) +
         bytes(names) + bytes(frames);
}

TEST(ProgramFrames, FindsTheLastDescriptionBeforeAnAddress) {
  Section section;
  const std::size_t common = section.AddCommon(0x1b);
  const std::size_t first = section.AddRelative(common, 0x401000);
  const std::size_t second = section.AddRelative(common, 0x402000);
  MadeProc proc;
  proc.Write(700, "exe", ProgramWith(section.bytes(), /*has_table=*/false));
  ProgramFrames frames(proc.FolderOf(700));
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames.EntryOf(0x400fff), 0u);
  EXPECT_EQ(frames.EntryOf(0x401000), kAddress + first);
  EXPECT_EQ(frames.EntryOf(0x401fff), kAddress + first);
  EXPECT_EQ(frames.EntryOf(0x402010), kAddress + second);
}

TEST(ProgramFrames, AProgramWithASortedTableNeedsNone) {
  Section section;
  section.AddRelative(section.AddCommon(0x1b), 0x401000);
  MadeProc proc;
  proc.Write(700, "exe", ProgramWith(section.bytes(), /*has_table=*/true));
  EXPECT_EQ(ProgramFrames(proc.FolderOf(700)).size(), 0u);
}

TEST(ProgramFrames, OtherFilesHaveNone) {
  MadeProc proc;
  EXPECT_EQ(ProgramFrames(proc.FolderOf(700)).size(), 0u);
  proc.Write(700, "exe", "no program");
  EXPECT_EQ(ProgramFrames(proc.FolderOf(700)).size(), 0u);
  EXPECT_EQ(ProgramFrames(proc.FolderOf(700)).EntryOf(0x401000), 0u);
  // This program is position-independent, or has a sorted table.
  EXPECT_EQ(ProgramFrames("/proc/self").size(), 0u);
}

}  // namespace
}  // namespace csink::attach

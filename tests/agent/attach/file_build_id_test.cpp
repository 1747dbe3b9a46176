#include "agent/attach/file_build_id.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "core/util/unique_fd.h"

namespace csink::attach {
namespace {

struct NoteSegment {
  std::string bytes;
  unsigned align = 4;
};

std::string Note(const std::string& name, unsigned type, const std::string& description,
                 std::size_t align = 4) {
  // The head has the same layout in both classes.
  Elf64_Nhdr head = {static_cast<Elf64_Word>(name.size() + 1),
                     static_cast<Elf64_Word>(description.size()), type};
  std::string note(reinterpret_cast<const char*>(&head), sizeof head);
  note += name + '\0';
  while (note.size() % align != 0) note += '\0';
  note += description;
  while (note.size() % align != 0) note += '\0';
  return note;
}

template <class Header, class Segment>
std::string File(unsigned char elf_class, const std::vector<NoteSegment>& segments) {
  Header header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = elf_class;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Segment);
  header.e_phnum = static_cast<Elf64_Half>(segments.size() + 1);
  // The first segment is no note.
  std::vector<Segment> table(segments.size() + 1);
  table[0].p_type = PT_LOAD;
  std::string notes;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    Segment& segment = table[i + 1];
    segment.p_type = PT_NOTE;
    segment.p_offset = static_cast<decltype(segment.p_offset)>(
        sizeof header + table.size() * sizeof(Segment) + notes.size());
    segment.p_filesz = static_cast<decltype(segment.p_filesz)>(segments[i].bytes.size());
    segment.p_align = segments[i].align;
    notes += segments[i].bytes;
  }
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Segment)) +
         notes;
}

std::string File64(const std::vector<NoteSegment>& segments) {
  return File<Elf64_Ehdr, Elf64_Phdr>(ELFCLASS64, segments);
}

/// What the function finds in a file of these bytes.
std::string BuildIdOf(const std::string& bytes) {
  const UniqueFd fd(memfd_create("elf", MFD_CLOEXEC));
  EXPECT_TRUE(fd);
  EXPECT_EQ(write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(lseek(fd.get(), 3, SEEK_SET), 3);
  std::uint8_t id[kMaxBuildIdBytes] = {};
  const std::size_t size = ReadFileBuildId(fd.get(), id);
  EXPECT_EQ(lseek(fd.get(), 0, SEEK_CUR), 3);  // unchanged
  EXPECT_LE(size, sizeof id);
  return std::string(reinterpret_cast<const char*>(id), size);
}

const char kId[] = "twenty bytes for id.";
const std::string kGnu = "GNU";

TEST(ReadFileBuildId, OfBothClasses) {
  const std::vector<NoteSegment> segments = {{Note(kGnu, NT_GNU_BUILD_ID, kId)}};
  EXPECT_EQ(BuildIdOf(File64(segments)), kId);
  EXPECT_EQ(BuildIdOf(File<Elf32_Ehdr, Elf32_Phdr>(ELFCLASS32, segments)), kId);
}

TEST(ReadFileBuildId, AfterOtherNotesAndSegments) {
  const std::string others = Note(kGnu, NT_GNU_ABI_TAG, "0123456789abcdef") +
                             Note("Go", 4, "some longer text") +
                             Note("stapsdt", NT_GNU_BUILD_ID, "not ours");
  // .note.gnu.property: its notes are padded to 8 bytes.
  const std::string property = Note(kGnu, 5, std::string(20, 'p'), 8);
  EXPECT_EQ(BuildIdOf(File64({{property, 8}, {others + Note(kGnu, NT_GNU_BUILD_ID, kId)}})), kId);
  EXPECT_EQ(BuildIdOf(File64({{property + Note(kGnu, NT_GNU_BUILD_ID, kId, 8), 8}})), kId);
}

TEST(ReadFileBuildId, ALongOneIsCut) {
  const std::string longer(kMaxBuildIdBytes + 5, 'x');
  EXPECT_EQ(BuildIdOf(File64({{Note(kGnu, NT_GNU_BUILD_ID, longer)}})),
            longer.substr(0, kMaxBuildIdBytes));
}

TEST(ReadFileBuildId, FilesWithoutOne) {
  EXPECT_EQ(BuildIdOf(""), "");
  EXPECT_EQ(BuildIdOf("#!/bin/sh\necho a script\n"), "");
  EXPECT_EQ(BuildIdOf(File64({})), "");
  EXPECT_EQ(BuildIdOf(File64({{Note(kGnu, NT_GNU_ABI_TAG, "0123456789abcdef")}})), "");
  EXPECT_EQ(BuildIdOf(File64({{Note(kGnu, NT_GNU_BUILD_ID, "")}})), "");
}

TEST(ReadFileBuildId, DamagedFiles) {
  const std::string good = File64({{Note(kGnu, NT_GNU_BUILD_ID, kId)}});
  // Cut anywhere: nothing, or all of it where only padding is missing.
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
    const std::string found = BuildIdOf(good.substr(0, bytes));
    EXPECT_TRUE(found.empty() || found == kId) << bytes << ": " << found;
  }
  std::string big_endian = good;
  big_endian[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(BuildIdOf(big_endian), "");
  std::string no_class = good;
  no_class[EI_CLASS] = 3;
  EXPECT_EQ(BuildIdOf(no_class), "");
  // A description that is longer than its segment.
  std::string note = Note(kGnu, NT_GNU_BUILD_ID, kId);
  const Elf64_Word huge = 0xfffffff0;
  std::memcpy(note.data() + offsetof(Elf64_Nhdr, n_descsz), &huge, sizeof huge);
  EXPECT_EQ(BuildIdOf(File64({{note}})), "");
  // A name of that length, likewise.
  note = Note(kGnu, NT_GNU_BUILD_ID, kId);
  std::memcpy(note.data() + offsetof(Elf64_Nhdr, n_namesz), &huge, sizeof huge);
  EXPECT_EQ(BuildIdOf(File64({{note}})), "");
}

}  // namespace
}  // namespace csink::attach

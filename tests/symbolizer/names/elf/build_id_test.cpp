#include "symbolizer/names/elf/build_id.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace csink::symbolizer {
namespace {

/// A note; name and description are padded to 4 bytes. `name` includes its NUL.
std::string Note(std::uint32_t type, std::string name, std::string text) {
  const Elf64_Nhdr header = {static_cast<std::uint32_t>(name.size()),
                             static_cast<std::uint32_t>(text.size()), type};
  name.resize((name.size() + 3) / 4 * 4);
  text.resize((text.size() + 3) / 4 * 4);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + name + text;
}

std::string IdIn(const std::string& notes) {
  const Bytes id = FindBuildId({reinterpret_cast<const std::uint8_t*>(notes.data()), notes.size()});
  return {id.begin(), id.end()};
}

const std::string kGnu("GNU", 4);

TEST(FindBuildId, PassesOverOtherNotes) {
  EXPECT_EQ(IdIn(Note(NT_GNU_ABI_TAG, kGnu, "0123456789abcdef") +
                 Note(1, std::string("Linux", 6), "x") + Note(NT_GNU_BUILD_ID, kGnu, "identity")),
            "identity");
}

TEST(FindBuildId, ComparesTheOwnerOfTheNote) {
  EXPECT_EQ(IdIn(Note(NT_GNU_BUILD_ID, std::string("Xen", 4), "identity")), "");
}

TEST(FindBuildId, NeedsNoPaddingBehindTheLastNote) {
  std::string notes = Note(NT_GNU_BUILD_ID, kGnu, "odd");
  notes.pop_back();
  EXPECT_EQ(IdIn(notes), "odd");
}

TEST(FindBuildId, EndsAtANoteThatIsCutOff) {
  std::string notes = Note(NT_GNU_BUILD_ID, kGnu, "identity");
  notes.pop_back();
  EXPECT_EQ(IdIn(notes), "");
  EXPECT_EQ(IdIn(notes.substr(0, 10)), "");
  EXPECT_EQ(IdIn(""), "");
  notes[3] = '\xff';  // The size of the name
  EXPECT_EQ(IdIn(notes), "");
}

TEST(ReadBuildId, ReadsAFileOfNotes) {
  const std::string path = ::testing::TempDir() + "csink_build_id_notes";
  std::ofstream(path) << Note(NT_GNU_BUILD_ID, kGnu, "ab");
  EXPECT_EQ(ReadBuildId(path), (std::vector<std::uint8_t>{'a', 'b'}));
  EXPECT_TRUE(ReadBuildId(path + "-missing").empty());
}

}  // namespace
}  // namespace csink::symbolizer

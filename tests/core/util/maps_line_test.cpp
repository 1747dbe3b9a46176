#include "core/util/maps_line.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace csink {
namespace {

TEST(ParseMapsLine, ReadsEveryField) {
  MapsLine line;
  ASSERT_TRUE(ParseMapsLine(
      "7f00-80ab r-xs 00003000 103:1f 18446744073709551615      /tmp/x y (deleted)", line));
  EXPECT_EQ(line.start, 0x7f00u);
  EXPECT_EQ(line.end, 0x80abu);
  EXPECT_EQ(line.offset, 0x3000u);
  EXPECT_EQ(line.dev_major, 0x103u);
  EXPECT_EQ(line.dev_minor, 0x1fu);
  EXPECT_EQ(line.inode, UINT64_MAX);
  EXPECT_TRUE(line.readable && line.executable && line.shared);
  EXPECT_FALSE(line.writable || line.deleted);
  EXPECT_EQ(line.path, "/tmp/x y (deleted)");
}

TEST(ParseMapsLine, RefusesWhatIsNotAMapping) {
  MapsLine line;
  for (const char* text :
       {"", " ", "-", "1-", "1-2", "2-1 r-xp 0 0:0 0", "2-2 r-xp 0 0:0 0", "1-2 r-x 0 0:0 0",
        "1-2 r-xp g 0:0 0", "1-2 r-xp 0 00 0", "1-2 r-xp 0 0:0 -1", "1-2 r-xp 0 0:100000000 0",
        "1-10000000000000000 r-xp 0 0:0 0", "1-2 r-xp 0 0:0 99999999999999999999", "1-2 r-xp 0 0:0",
        "Size:                  4 kB"}) {
    EXPECT_FALSE(ParseMapsLine(text, line)) << text;
  }
}

/// A folder that stands for the root of a process.
class DecodeFileNameTest : public testing::Test {
 protected:
  DecodeFileNameTest() {
    std::string pattern = testing::TempDir() + "names.XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  ~DecodeFileNameTest() override { std::filesystem::remove_all(root_); }
  /// Makes the file that was mapped.
  void Map(const std::string& name) {
    Make(name);
    struct stat status;
    ASSERT_EQ(stat((root_ + name).c_str(), &status), 0);
    file_.inode = status.st_ino;
    file_.dev_major = major(status.st_dev);
    file_.dev_minor = minor(status.st_dev);
  }
  void Make(const std::string& name) const { std::ofstream(root_ + name) << "x"; }
  void Remove(const std::string& name) const { std::filesystem::remove(root_ + name); }
  /// The name, with "[deleted] " before that of a file without one.
  std::string Decode(std::string text, bool escaped) const {
    NamedFile file = file_;
    file.escaped = escaped;
    const DecodedName name = DecodeFileName(text.data(), text.size(), file, root_.c_str());
    EXPECT_EQ(text[name.bytes], 0);
    return (name.deleted ? "[deleted] " : "") + text.substr(0, name.bytes);
  }

  std::string root_;
  NamedFile file_;
};

TEST_F(DecodeFileNameTest, LeavesPlainTextAsItIs) {
  for (const char* text : {"", "[heap]", "/usr/bin/a b", "/back\\slash", "/latin1-\xe9"}) {
    EXPECT_EQ(Decode(text, true), text);
  }
  EXPECT_EQ(Decode("/not\\012escaped", false), "/not\\012escaped");
}

TEST_F(DecodeFileNameTest, TheFileSaysWhatABackslashMeans) {
  Map("/a\nb");
  EXPECT_EQ(Decode("/a\\012b", true), "/a\nb");
  Map("/c\\012d");
  EXPECT_EQ(Decode("/c\\012d", true), "/c\\012d");
  EXPECT_EQ(Decode("/gone\\012", true), "/gone\n");
}

TEST_F(DecodeFileNameTest, TheFileSaysWhetherItsNameEndsSo) {
  Map("/x (deleted)");
  EXPECT_EQ(Decode("/x (deleted)", true), "/x (deleted)");
  Remove("/x (deleted)");
  EXPECT_EQ(Decode("/x (deleted)", true), "[deleted] /x");
  EXPECT_EQ(Decode("/x (deleted) (deleted)", true), "[deleted] /x (deleted)");
  Map("/y\n (deleted)");
  EXPECT_EQ(Decode("/y\\012 (deleted)", true), "/y\n (deleted)");
  EXPECT_EQ(Decode("/memfd:code (deleted)", true), "[deleted] /memfd:code");
}

TEST_F(DecodeFileNameTest, AnotherFileWithTheKernelsWordsProvesNothing) {
  Map("/x");
  Remove("/x");
  Make("/y");  // It may take the inode of the removed file.
  Make("/x (deleted)");
  EXPECT_EQ(Decode("/x (deleted)", true), "[deleted] /x");
}

// btrfs and overlayfs have other devices in maps than in stat(2).
TEST_F(DecodeFileNameTest, WithoutAComparableDeviceNamesDecide) {
  Map("/x (deleted)");
  file_.dev_major += 1;
  file_.inode += 1;
  EXPECT_EQ(Decode("/x (deleted)", true), "/x (deleted)");
  Make("/x");
  EXPECT_EQ(Decode("/x (deleted)", true), "[deleted] /x");
  Map("/c\\012d");
  file_.dev_major += 1;
  file_.inode += 1;
  EXPECT_EQ(Decode("/c\\012d", true), "/c\\012d");
}

}  // namespace
}  // namespace csink

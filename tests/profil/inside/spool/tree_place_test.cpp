#include "profil/inside/spool/tree_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using csink::testing::TemporaryFolder;

TEST(TreeName, HasSixteenDigits) {
  EXPECT_EQ(TreeName(0x1f).view(), "tree.000000000000001f");
  EXPECT_EQ(TreeName(~0ull).view(), "tree.ffffffffffffffff");
}

TEST(EnsurePrivateFolder, MakesAFolderForThisUserAlone) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/new";
  EXPECT_EQ(EnsurePrivateFolder(path.c_str()), 0);
  struct stat st = {};
  ASSERT_EQ(stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0700u);
  EXPECT_EQ(EnsurePrivateFolder(path.c_str()), 0);  // It is there already
}

TEST(EnsurePrivateFolder, RefusesWhatOthersCanChange) {
  TemporaryFolder folder;
  const std::string open = folder.path() + "/open";
  ASSERT_EQ(mkdir(open.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open.c_str(), 0720), 0);
  EXPECT_EQ(EnsurePrivateFolder(open.c_str()), -EPERM);
  const std::string link = folder.path() + "/link";
  ASSERT_EQ(symlink(folder.path().c_str(), link.c_str()), 0);
  EXPECT_EQ(EnsurePrivateFolder(link.c_str()), -ENOTDIR);
  const std::string file = folder.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_EQ(EnsurePrivateFolder(file.c_str()), -ENOTDIR);
  EXPECT_EQ(EnsurePrivateFolder((folder.path() + "/no/such").c_str()), -ENOENT);
}

TEST(EnsureUsersFolder, FailsWhereCsinkRunHasMadeNoPlace) {
  Text<512> folder;
  EXPECT_EQ(EnsureUsersFolder(0x1234567890abcdef, folder), -ENOENT);
}

class AppendInTreeTest : public ::testing::Test {
 protected:
  int Append(const std::string& folder) {
    record_.Begin(spool::SmallKind::kOutside);
    return AppendInTree(record_, folder, 0x1234567890abcdef);
  }

  TemporaryFolder folder_;
  alignas(8) unsigned char bytes_[64];
  SmallRecordWriter record_{bytes_, sizeof bytes_};
};

TEST_F(AppendInTreeTest, WritesIntoTheTreesFile) {
  EXPECT_EQ(Append(folder_.path()), 0);
  EXPECT_EQ(access((folder_.path() + "/" + spool::kSmallFileName).c_str(), R_OK), 0);
}

TEST_F(AppendInTreeTest, SaysWhyNot) {
  EXPECT_EQ(Append(folder_.path() + "/removed"), ENOENT);
  ASSERT_EQ(mkdir((folder_.path() + "/" + spool::kSmallFileName).c_str(), 0700), 0);
  EXPECT_EQ(Append(folder_.path()), EISDIR);
}

class MessagesTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kTree = 0x1234567890abcdef;
  TemporaryFolder folder_;
};

TEST_F(MessagesTest, AreLeftOnlyWhereCsinkRunReadsThem) {
  EXPECT_EQ(AppendMessage(folder_.path(), kTree, "csink: warn: a\n"), ENOENT);
  const std::string file = folder_.path() + "/" + kMessagesFile;
  std::ofstream(file).close();
  EXPECT_EQ(AppendMessage(folder_.path(), kTree, "csink: warn: a\n"), 0);
  EXPECT_EQ(AppendMessage(folder_.path(), kTree, "csink: warn: b\n"), 0);
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(text, "csink: warn: a\ncsink: warn: b\n");
}

TEST_F(MessagesTest, TheStderrOfTheTreeIsTheMarkedOne) {
  std::ofstream(folder_.path() + "/" + StderrMark(0x1d, 0x2f).c_str()).close();
  EXPECT_TRUE(IsStderrOfTree(folder_.path(), kTree, 0x1d, 0x2f));
  EXPECT_FALSE(IsStderrOfTree(folder_.path(), kTree, 0x1d, 0x2e));
}

}  // namespace
}  // namespace csink

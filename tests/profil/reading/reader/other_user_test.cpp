#include "profil/reading/reader/other_user.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/profil/spool_bytes.h"

namespace csink::spool {
namespace {

using csink::testing::TemporaryFolder;

TEST(AsOtherUsersFile, TakesThePathApart) {
  const auto file = AsOtherUsersFile("/dev/shm/csink-users/tree.00000000000000a1/33/x.csink");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->folder, "/dev/shm/csink-users/tree.00000000000000a1/33");
  EXPECT_EQ(file->tree, 0xa1u);
  EXPECT_EQ(file->uid, 33u);
  EXPECT_EQ(file->name, "x.csink");
  EXPECT_TRUE(AsOtherUsersFile("/tmp/csink-users/tree.ffffffffffffffff/0/y"));
}

TEST(AsOtherUsersFile, LeavesOtherPathsAlone) {
  for (const char* path : {
           "/dev/shm/csink-0/tree.00000000000000a1/33/x.csink",
           "/dev/shm/csink-usersX/tree.00000000000000a1/33/x.csink",
           "/dev/shm/csink-users/tree.a1/33/x.csink",
           "/dev/shm/csink-users/tree.00000000000000A1/33/x.csink",
           "/dev/shm/csink-users/tree.00000000000000a1/root/x.csink",
           "/dev/shm/csink-users/tree.00000000000000a1/4294967296/x.csink",
           "/dev/shm/csink-users/tree.00000000000000a1/33",
           "/dev/shm/csink-users/tree.00000000000000a1/33/",
           "/dev/shm/csink-users/tree.00000000000000a1/33/more/x.csink",
           "/dev/shm/csink-users",
           "",
       }) {
    EXPECT_FALSE(AsOtherUsersFile(path)) << path;
  }
}

TEST(TreeOf, ReadsTheFoldersName) {
  EXPECT_EQ(TreeOf("/dev/shm/csink-users/tree.00000000000000a1/33/tree.records.csink"), 0xa1u);
  EXPECT_EQ(TreeOf("/home/me/tree.00000000000000a2/x.csink"), 0xa2u);
  EXPECT_EQ(TreeOf("tree.00000000000000a2/x.csink"), 0xa2u);
  for (const char* path :
       {"", "x.csink", "/x.csink", "/tree.00000000000000a2", "/tree.a2/x.csink"}) {
    EXPECT_EQ(TreeOf(path), 0u) << path;
  }
}

class OtherUsersFolder : public ::testing::Test {
 protected:
  /// Whether the file `name` of this user's folder is opened, as a file of `uid`.
  bool Opens(const std::string& name, std::uint32_t uid = geteuid()) {
    const std::string folder = folder_.path();
    return static_cast<bool>(OpenOtherUsersFile({folder, 1, uid, name}));
  }
  std::string In(const std::string& name) { return folder_.path() + "/" + name; }

  TemporaryFolder folder_;
};

TEST_F(OtherUsersFolder, AFileOfTheUserIsOpened) {
  std::ofstream(In("spool")) << "x";
  EXPECT_TRUE(Opens("spool"));
  EXPECT_FALSE(Opens("none"));
  EXPECT_FALSE(Opens("spool", geteuid() + 1));  // The folder is another user's
}

TEST_F(OtherUsersFolder, WhatLeadsElsewhereIsNotOpened) {
  std::ofstream(In("spool")) << "x";
  ASSERT_EQ(symlink("spool", In("link").c_str()), 0);
  EXPECT_FALSE(Opens("link"));
  ASSERT_EQ(mkfifo(In("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(Opens("fifo"));  // And does not wait for a writer
  ASSERT_EQ(mkdir(In("folder").c_str(), 0700), 0);
  EXPECT_FALSE(Opens("folder"));
  ASSERT_EQ(link(In("spool").c_str(), In("second").c_str()), 0);
  EXPECT_FALSE(Opens("second"));
}

TEST_F(OtherUsersFolder, AFolderThatIsALinkOrOpenToOthersIsNotUsed) {
  ASSERT_EQ(mkdir(In("real").c_str(), 0700), 0);
  ASSERT_EQ(symlink("real", In("linked").c_str()), 0);
  EXPECT_TRUE(OpenFolderOf(In("real"), geteuid()));
  EXPECT_FALSE(OpenFolderOf(In("linked"), geteuid()));
  ASSERT_EQ(chmod(In("real").c_str(), 0770), 0);
  EXPECT_FALSE(OpenFolderOf(In("real"), geteuid()));
}

class DistrustTest : public ::testing::Test {
 protected:
  DistrustTest() {
    spool_.header.tree_id = 7;
    spool_.header.uid = 0;
  }
  std::string PathAfter(Region region) {
    spool_.regions = {region};
    EXPECT_EQ(Distrust(spool_, file_), nullptr);
    return std::string(spool_.regions[0].path);
  }

  const OtherUsersFile file_{"/folder", 7, 33, "x.csink"};
  Spool spool_;
};

TEST_F(DistrustTest, TheUserIsTheOwnerOfTheFile) {
  EXPECT_EQ(Distrust(spool_, file_), nullptr);
  EXPECT_EQ(spool_.header.uid, 33u);
}

TEST_F(DistrustTest, AnotherTreeAndMergedFilesAreRefused) {
  spool_.header.tree_id = 8;
  EXPECT_NE(Distrust(spool_, file_), nullptr);
  spool_.header.tree_id = 7;
  spool_.processes.emplace_back();
  EXPECT_NE(Distrust(spool_, file_), nullptr);
}

TEST_F(DistrustTest, OnlyModulesThatCanBeComparedKeepTheirPath) {
  const std::uint8_t id[20] = {1};
  const auto kept = [&](const char* path, std::uint64_t inode, bool has_id) {
    Region region;
    region.path = path;
    region.inode = inode;
    if (has_id) region.build_id = id;
    return PathAfter(region) == path;
  };
  EXPECT_TRUE(kept("/usr/bin/x", 0, true));
  EXPECT_TRUE(kept("/usr/bin/x", 5, false));
  EXPECT_FALSE(kept("/opt/secret", 0, false));
  EXPECT_FALSE(kept("/proc/1/root/x", 5, true));
  EXPECT_FALSE(kept("/sys/kernel/tracing/trace_pipe", 5, false));
  EXPECT_TRUE(kept("[vdso]", 0, false));
}

}  // namespace
}  // namespace csink::spool

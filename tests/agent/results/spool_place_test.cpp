#include "agent/results/spool_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

using csink::testing::TemporaryFolder;

class SpoolPlaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    header_.uid = 4'000'000'001;  // /dev/shm/csink-UID is this test's alone
    header_.pid = 77;
    header_.process_start_ticks = 5;
    header_.event_count = 1;
    std::strcpy(header_.program, "program");
  }
  void TearDown() override { rmdir("/dev/shm/csink-4000000001"); }
  void ReadEnvironment(const std::string& runtime, const std::string& temporary = "") {
    std::string first = "XDG_RUNTIME_DIR=" + runtime;
    std::string second = "TMPDIR=" + temporary;
    char* environment[] = {first.data(), second.data(), nullptr};
    place_.ReadEnvironment(environment);
  }
  /// The folder in which the spool lies; "": there is none.
  std::string FolderOfSpool(const std::string& wanted = "") {
    if (!place_.Create(spool_, header_, wanted)) return "";
    const std::string path(spool_.path());
    return path.substr(0, path.rfind('/'));
  }

  TemporaryFolder folder_;
  SpoolPlace place_;
  SpoolWriter spool_;
  spool::Header header_ = {};
};

TEST_F(SpoolPlaceTest, WantedFolderComesFirst) {
  ReadEnvironment(folder_.path());
  EXPECT_EQ(FolderOfSpool(folder_.path() + "/wanted"), folder_.path() + "/wanted");
}

TEST_F(SpoolPlaceTest, RuntimeFolderIsTheFirstUsualPlace) {
  ReadEnvironment(folder_.path());
  EXPECT_EQ(FolderOfSpool(), folder_.path() + "/csink");
  struct stat st = {};
  ASSERT_EQ(stat((folder_.path() + "/csink").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700u);
}

TEST_F(SpoolPlaceTest, RelativeRuntimeFolderIsNotUsed) {
  ReadEnvironment("relative", folder_.path());
  EXPECT_EQ(FolderOfSpool(), "/dev/shm/csink-4000000001");
  spool_.Remove();
}

TEST_F(SpoolPlaceTest, FolderThatOthersCanWriteIsNotUsed) {
  ReadEnvironment(folder_.path());
  const std::string open = folder_.path() + "/open";
  ASSERT_EQ(mkdir(open.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open.c_str(), 0777), 0);
  EXPECT_EQ(FolderOfSpool(open), folder_.path() + "/csink");
}

TEST_F(SpoolPlaceTest, LinkToAFolderIsNotUsed) {
  ReadEnvironment(folder_.path());
  const std::string link = folder_.path() + "/link";
  ASSERT_EQ(mkdir((folder_.path() + "/target").c_str(), 0700), 0);
  ASSERT_EQ(symlink((folder_.path() + "/target").c_str(), link.c_str()), 0);
  EXPECT_EQ(FolderOfSpool(link), folder_.path() + "/csink");
}

TEST_F(SpoolPlaceTest, AdvisesAnotherFolderInATreeToCsinkRun) {
  const char* shared = "/dev/shm/csink-4000000001";
  ASSERT_EQ(mkdir(shared, 0777), 0);
  ASSERT_EQ(chmod(shared, 0777), 0);
  ReadEnvironment("", "/proc/none");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(FolderOfSpool("/proc/none"), "");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("set CSINK_SPOOL_DIR"),
            std::string::npos);
  header_.tree_id = 1;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(FolderOfSpool("/proc/none"), "");
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find("set CSINK_SPOOL_DIR for csink run"), std::string::npos) << line;
  EXPECT_EQ(line.find("sandbox"), std::string::npos);
}

// csink run would not find it there.
TEST_F(SpoolPlaceTest, NoUsualPlaceServesATree) {
  ReadEnvironment(folder_.path());
  header_.tree_id = 1;
  const std::string open = folder_.path() + "/open";
  ASSERT_EQ(mkdir(open.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open.c_str(), 0777), 0);
  EXPECT_EQ(FolderOfSpool(open), "");
  EXPECT_EQ(FolderOfSpool(folder_.path() + "/tree"), folder_.path() + "/tree");
}

TEST_F(SpoolPlaceTest, GenerationCountsEarlierImagesWhateverTheirName) {
  ReadEnvironment(folder_.path());
  ASSERT_NE(FolderOfSpool(), "");
  EXPECT_EQ(spool_.header().exec_generation, 0u);
  SpoolWriter second;
  std::strcpy(header_.program, "next");
  ASSERT_TRUE(place_.Create(second, header_, ""));
  EXPECT_EQ(second.header().exec_generation, 1u);
  SpoolWriter other;
  header_.process_start_ticks = 6;  // the pid again, of another process
  ASSERT_TRUE(place_.Create(other, header_, ""));
  EXPECT_EQ(other.header().exec_generation, 0u);
}

}  // namespace
}  // namespace csink::agent

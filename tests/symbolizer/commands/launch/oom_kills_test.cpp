#include "symbolizer/commands/launch/oom_kills.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace csink::tool {
namespace {

/// A folder that stands for "/".
class OomKillsOf : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(root_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root_ = ::testing::TempDir() + "oom_kills_XXXXXX";
};

TEST_F(OomKillsOf, AMachineWithoutTheFilesAreNone) {
  const OomKills kills = ReadOomKills(root_);
  EXPECT_EQ(kills.cgroup, 0u);
}

TEST_F(OomKillsOf, AUnifiedCgroupAreItsOwn) {
  // Of the whole machine, and not of the command.
  Write("/proc/vmstat", "nr_free_pages 1\noom_kill 11\nballoon 2\n");
  Write("/proc/self/cgroup", "0::/user.slice/job\n");
  Write("/sys/fs/cgroup/memory.events", "oom_kill 9\n");
  Write("/sys/fs/cgroup/user.slice/job/memory.events",
        "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 0\n");
  const OomKills kills = ReadOomKills(root_);
  EXPECT_EQ(kills.cgroup, 2u);
}

TEST_F(OomKillsOf, AContainerAreThoseOfTheMount) {
  Write("/proc/self/cgroup", "0::/path/of/the/host\n");
  Write("/sys/fs/cgroup/memory.events", "oom_kill 9\n");
  EXPECT_EQ(ReadOomKills(root_).cgroup, 9u);
}

TEST_F(OomKillsOf, AnOlderCgroupAreThoseOfTheMemoryController) {
  Write("/proc/self/cgroup", "9:name=systemd:/x\n4:memory:/job\n5:cpu,cpuacct:/\n0::/\n");
  Write("/sys/fs/cgroup/memory/job/memory.oom_control",
        "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  EXPECT_EQ(ReadOomKills(root_).cgroup, 4u);
}

TEST_F(OomKillsOf, ADamagedFileAreNone) {
  Write("/proc/self/cgroup", "nonsense\n4:memory\n::\n0::/job\n");
  Write("/sys/fs/cgroup/job/memory.events", "oom_kill many\noom_kill");
  const OomKills kills = ReadOomKills(root_);
  EXPECT_EQ(kills.cgroup, 0u);
}

TEST(OomKills, OfARunAreTheDifference) {
  EXPECT_EQ(OomKills{5}.Since({2}).cgroup, 3u);
  // The process moved to another cgroup, or the file was not readable the second time.
  EXPECT_EQ(OomKills{3}.Since({4}).cgroup, 0u);
}

}  // namespace
}  // namespace csink::tool

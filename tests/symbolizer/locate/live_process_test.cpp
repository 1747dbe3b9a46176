#include "symbolizer/locate/live_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace csink::symbolizer {
namespace {

class StatFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "stat.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& text) { std::ofstream(folder_ + "/stat") << text; }

  std::string folder_;
};

TEST_F(StatFile, NamesMayHoldBlanksAndParentheses) {
  Write("42 (a) b (c 7 8) S 17 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1 2 3\n");
  const auto stat = ReadProcessStat(folder_);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_FALSE(stat->ended());
  EXPECT_EQ(stat->parent, 17u);
  EXPECT_EQ(stat->start_ticks, 987654u);
}

TEST_F(StatFile, CutOffOnesSayNothing) {
  const std::string whole = "42 (a) S 17 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654";
  for (std::size_t bytes = 0; bytes + 6 < whole.size(); ++bytes) {
    Write(whole.substr(0, bytes));
    EXPECT_FALSE(ReadProcessStat(folder_)) << bytes;
  }
}

// As that of a process which ends between open and read: an error of read, not of open.
TEST_F(StatFile, ReadErrorsAreNoExceptions) {
  std::filesystem::create_directory(folder_ + "/stat");
  EXPECT_FALSE(ReadProcessStat(folder_));
}

TEST(ProcessStat, KnowsAChildAndItsEnd) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_GT(child, 0);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const auto stat = ReadProcessStat("/proc/" + std::to_string(child));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, static_cast<std::uint32_t>(getpid()));
  EXPECT_TRUE(stat->ended());
  EXPECT_NE(stat->start_ticks, 0u);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(ReadProcessStat("/proc/" + std::to_string(child)));
}

}  // namespace
}  // namespace csink::symbolizer

#include "symbolizer/names/locate/live_process.h"

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

/// A /proc with one process and this one, which are in different time namespaces.
class TimeNamespace : public StatFile {
 protected:
  void SetUp() override {
    StatFile::SetUp();
    std::filesystem::create_directories(folder_ + "/42");
    std::filesystem::create_directories(folder_ + "/self");
    std::ofstream(folder_ + "/42/stat")
        << "42 (a) S 17 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 5000 1 2 3\n";
  }
  void Shift(const std::string& who, const std::string& seconds) {
    std::ofstream(folder_ + "/" + who + "/timens_offsets")
        << "monotonic           7         0\nboottime   " << seconds << "         0\n";
  }
};

TEST_F(TimeNamespace, StartIsAsReadInsideOrOutside) {
  const auto second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  EXPECT_TRUE(HasStart(folder_, 42, 5000));
  EXPECT_FALSE(HasStart(folder_, 42, 5000 + 1000 * second));
  EXPECT_FALSE(HasStart(folder_, 42, 0));
  EXPECT_FALSE(HasStart(folder_, 43, 5000));
  Shift("42", "1000");
  Shift("self", "0");
  EXPECT_TRUE(HasStart(folder_, 42, 5000 + 1000 * second));
  EXPECT_TRUE(HasStart(folder_, 42, 5000));
  EXPECT_FALSE(HasStart(folder_, 42, 5000 + 1001 * second));
  Shift("self", "-10");
  EXPECT_TRUE(HasStart(folder_, 42, 5000 + 1010 * second));
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

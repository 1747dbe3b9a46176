#include "compat/atime/open_metrics.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace csink::atime {
namespace {

bool Has(const std::string& text, const std::string& line) {
  return text.find(line) != std::string::npos;
}

TEST(OpenMetricsText, EscapesLabelsAndEndsWithEof) {
  RunResult run;
  run.metrics.push_back({"c", "a\\b\"c\nd\xff", "temperature",
                         "\xc2\xb0"
                         "C",
                         "avg", 41.5});
  const std::string text = OpenMetricsText({run}, std::nullopt);
  EXPECT_TRUE(Has(text,
                  "atime_value{component=\"c\",event=\"a\\\\b\\\"c\\nd?\","
                  "type=\"temperature\",unit=\"\xc2\xb0"
                  "C\",statistic=\"avg\"} 41.5\n"));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(OpenMetricsText, SpellsInfinityAsTheSpecification) {
  RunResult run;
  run.total.emplace();
  run.total->energy = {2, 0, std::numeric_limits<double>::infinity()};
  run.metrics.push_back({"total", "total", "energy", "Ws", "acc", 2});
  const std::string text = OpenMetricsText({run}, std::nullopt);
  EXPECT_TRUE(Has(text, "\natime_total_energy_joules 2\n"));
  EXPECT_TRUE(Has(text, "\natime_total_energy_high_joules +Inf\n"));
}

TEST(OpenMetricsText, OfSeveralRunsHasTheIntervalOfTheMean) {
  std::vector<RunResult> runs(3);
  for (int i = 0; i < 3; ++i) {
    runs[static_cast<std::size_t>(i)].metrics.push_back(
        {"total", "total", "energy", "Ws", "acc", 10.0 + i});
  }
  const std::string text = OpenMetricsText(runs, std::nullopt);
  EXPECT_TRUE(Has(text, "\natime_runs 3\n"));
  EXPECT_TRUE(Has(text, "\natime_total_energy_joules 11\n"));
  // 4.3027 (2 degrees of freedom) * 1 / sqrt(3)
  EXPECT_TRUE(Has(text, "\natime_total_energy_high_joules 13.484"));
}

class ReplaceFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/csink-open-metrics-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(ReplaceFileTest, LeavesTheNewFileAloneInTheFolder) {
  const std::string path = folder_ + "/a.prom";
  ASSERT_TRUE(ReplaceFile(path.c_str(), "old\n"));
  ASSERT_TRUE(ReplaceFile(path.c_str(), "new\n"));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "new\n");
  struct stat is = {};
  ASSERT_EQ(stat(path.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0644u);
  const auto entries = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(ReplaceFileTest, AFailureLeavesNothingBehind) {
  // A folder cannot be replaced by a file.
  const std::string path = folder_ + "/folder";
  std::filesystem::create_directory(path);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(ReplaceFile(path.c_str(), "text\n"));
  EXPECT_TRUE(Has(testing::internal::GetCapturedStderr(), "cannot write " + path + ": "));
  const auto entries = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

}  // namespace
}  // namespace csink::atime

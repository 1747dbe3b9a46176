#include <gmock/gmock.h>

#include "tests/agent/settings/config_fixture.h"

namespace csink::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The output path of `output` in a program started in `directory`; the lines that were said.
std::string PathOf(const std::string& output, std::vector<std::string> variables,
                   const std::string& directory, std::vector<std::string>* lines = nullptr) {
  auto config = std::make_unique<Config>();
  config->output.Add(output);
  testing::FakeEnvironment environment(std::move(variables));
  csink::testing::CapturedStderr captured;
  SettleOutputPath(*config, directory, environment.data());
  if (lines) *lines = captured.lines();
  return std::string(config->output_path.view());
}

TEST(SettleOutputPath, CountsFromTheStartDirectory) {
  EXPECT_EQ(PathOf("r.%p", {}, "/start"), "/start/r.%p");
  EXPECT_EQ(PathOf("/r.%p", {}, "/start"), "/r.%p");
  EXPECT_EQ(PathOf("r", {}, ""), "r");
  EXPECT_EQ(PathOf("", {}, "/start"), "");
}

TEST(SettleOutputPath, KeepsThePercentOfADirectory) {
  EXPECT_EQ(PathOf("r", {}, "/100%p"), "/100%%p/r");
}

TEST(SettleOutputPath, FillsVariablesInAndKeepsTheRest) {
  EXPECT_EQ(PathOf("%{A}/%e%%.%{B}", {"A=x", "B=50%p"}, "/s"), "/s/x/%e%%.50%%p");
  EXPECT_EQ(PathOf("%{NONE}", {"NONEX=1"}, "/s"), "/s/none");
  EXPECT_EQ(PathOf("/%{A}/%{A}%{A}", {"A=.."}, "/s"), "/_./_...");
}

TEST(SettleOutputPath, NamesAPartThatDoesNotExist) {
  std::vector<std::string> lines;
  EXPECT_EQ(PathOf("/r.%x", {}, "/s", &lines), "/r.%x");
  EXPECT_THAT(lines, ElementsAre(HasSubstr("'%x' is unknown")));
  EXPECT_EQ(PathOf("/r.%{A", {}, "/s", &lines), "/r.%%{A");
  EXPECT_THAT(lines, ElementsAre(HasSubstr("'%{A'")));
}

TEST(SettleOutputPath, RefusesWhatIsTooLong) {
  std::string output;
  for (int i = 0; i < 100; ++i) output += "%{A}/";
  std::vector<std::string> lines;
  EXPECT_EQ(PathOf(output, {"A=" + std::string(500, 'x')}, "/s", &lines), "");
  EXPECT_THAT(lines, ElementsAre(HasSubstr("too long")));
}

std::string SpoolDirOf(const std::string& dir, const std::string& directory) {
  auto config = std::make_unique<Config>();
  config->spool_dir.Add(dir);
  csink::testing::CapturedStderr captured;
  SettleSpoolDir(*config, directory);
  return std::string(config->spool_dir.view());
}

TEST(SettleSpoolDir, CountsFromTheStartDirectory) {
  EXPECT_EQ(SpoolDirOf("s", "/start"), "/start/s");
  EXPECT_EQ(SpoolDirOf("/s", "/start"), "/s");
  EXPECT_EQ(SpoolDirOf("", "/start"), "");
  EXPECT_EQ(SpoolDirOf(std::string(300, 's'), "/" + std::string(200, 'd')), "");
}

}  // namespace
}  // namespace csink::agent

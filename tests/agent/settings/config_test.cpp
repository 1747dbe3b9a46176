#include "agent/settings/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/agent/settings/config_fixture.h"

namespace csink::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using ReadConfigTest = testing::ConfigTest;

TEST_F(ReadConfigTest, LeavesEveryDefaultInAnEmptyEnvironment) {
  EXPECT_THAT(Read({}), ElementsAre());
  EXPECT_TRUE(config().enable);
  EXPECT_EQ(config().events.size(), 0u);
  EXPECT_EQ(config().source, SourceChoice::kAuto);
  EXPECT_EQ(config().format, ReportFormat::kText);
  EXPECT_EQ(config().top, 20u);
  EXPECT_TRUE(config().report);
  EXPECT_FALSE(config().keep);
  EXPECT_EQ(config().min_samples, 20u);
  EXPECT_EQ(config().tree, 0u);
  EXPECT_EQ(config().doctor, Doctor::kOff);
}

TEST_F(ReadConfigTest, TakesEveryKey) {
  EXPECT_THAT(Read({"CSINK_ENABLE=yes", "CSINK_EVENTS=cycles@4kHz,faults", "CSINK_SOURCE=timer",
                    "CSINK_OUTPUT=/tmp/%p.txt", "CSINK_FORMAT=json", "CSINK_TOP=7",
                    "CSINK_REPORT=off", "CSINK_SPOOL_DIR=/var/tmp/x", "CSINK_KEEP=1",
                    "CSINK_MIN_SAMPLES=1k", "CSINK_LOG=debug", "CSINK_REPORTER=/opt/csink",
                    "CSINK_TREE=99", "CSINK_DOCTOR=on", "CSINK_AGENT=/opt/libagent.so"}),
              ElementsAre());
  EXPECT_TRUE(config().enable);
  EXPECT_EQ(config().events.view(), "cycles@4kHz,faults");
  EXPECT_EQ(config().source, SourceChoice::kTimer);
  EXPECT_EQ(config().output.view(), "/tmp/%p.txt");
  EXPECT_EQ(config().format, ReportFormat::kJson);
  EXPECT_EQ(config().top, 7u);
  EXPECT_FALSE(config().report);
  EXPECT_EQ(config().spool_dir.view(), "/var/tmp/x");
  EXPECT_TRUE(config().keep);
  EXPECT_EQ(config().min_samples, 1000u);
  EXPECT_EQ(GetLogLevel(), LogLevel::kDebug);
  EXPECT_EQ(config().reporter.view(), "/opt/csink");
  EXPECT_EQ(config().tree, 99u);
  EXPECT_EQ(config().doctor, Doctor::kOn);
}

TEST_F(ReadConfigTest, TakesEverySourceFormatAndLogLevel) {
  Read({"CSINK_SOURCE=ring"});
  EXPECT_EQ(config().source, SourceChoice::kRing);
  Read({"CSINK_SOURCE=auto"});
  EXPECT_EQ(config().source, SourceChoice::kAuto);
  Read({"CSINK_FORMAT=text"});
  EXPECT_EQ(config().format, ReportFormat::kText);
  for (std::size_t i = 0; i < kReportFormatCount; ++i) {
    Read({"CSINK_FORMAT=" + std::string(kReportFormats[i].name), "CSINK_OUTPUT=/tmp/file"});
    EXPECT_EQ(static_cast<std::size_t>(config().format), i);
  }
  const char* const levels[] = {"error", "warn", "info", "debug"};
  for (int i = 0; i < 4; ++i) {
    Read({std::string("CSINK_LOG=") + levels[i]});
    EXPECT_EQ(static_cast<int>(GetLogLevel()), i);
  }
}

TEST_F(ReadConfigTest, ListsTheEventNamesOnRequest) {
  Read({"CSINK_DOCTOR=events"});
  EXPECT_EQ(config().doctor, Doctor::kEvents);
}

struct BadValue {
  const char* variable;
  const char* expected;
};
class BadValues : public ReadConfigTest, public ::testing::WithParamInterface<BadValue> {};

TEST_P(BadValues, GiveOneLineThatSaysWhatWasExpectedAndKeepTheDefault) {
  const std::string variable = GetParam().variable;
  EXPECT_THAT(
      Read({variable}),
      ElementsAre(AllOf(StartsWith("csink: warn: " + variable.substr(0, variable.find('='))),
                        HasSubstr(GetParam().expected))));
  const Config defaults;
  EXPECT_EQ(config().enable, defaults.enable);
  EXPECT_EQ(config().source, defaults.source);
  EXPECT_EQ(config().format, defaults.format);
  EXPECT_EQ(config().top, defaults.top);
  EXPECT_EQ(config().min_samples, defaults.min_samples);
  EXPECT_EQ(config().tree, defaults.tree);
  EXPECT_EQ(config().doctor, defaults.doctor);
  EXPECT_EQ(GetLogLevel(), LogLevel::kWarn);
}
INSTANTIATE_TEST_SUITE_P(
    Each, BadValues,
    ::testing::Values(
        BadValue{"CSINK_ENABLE=perhaps", "1 or 0"},
        BadValue{"CSINK_SOURCE=Ring", "auto, ring or timer"},
        BadValue{"CSINK_FORMAT=xml", "gperftools, gmon or otlp"},
        BadValue{"CSINK_TOP=-1", "a whole number"}, BadValue{"CSINK_TOP=20.5", "a whole number"},
        BadValue{"CSINK_TOP=99999999999999999999", "a whole number"},
        BadValue{"CSINK_MIN_SAMPLES=many", "a whole number"},
        BadValue{"CSINK_TREE=0x10", "a whole number"}, BadValue{"CSINK_KEEP=2", "yes or no"},
        BadValue{"CSINK_REPORT=maybe", "on or off"}, BadValue{"CSINK_DOCTOR=please", "1 or 0"},
        BadValue{"CSINK_LOG=verbose", "error, warn, info or debug"}));

TEST_F(ReadConfigTest, TakesAnEmptyValueForNotSet) {
  EXPECT_THAT(Read({"CSINK_ENABLE=", "CSINK_TOP=", "CSINK_EVENTS=", "CSINK_LOG="}), ElementsAre());
  EXPECT_TRUE(config().enable);
  EXPECT_EQ(config().top, 20u);
}

TEST_F(ReadConfigTest, NamesTheNearestKeyOfAnUnknownOne) {
  EXPECT_THAT(
      Read({"CSINK_EVNTS=cycles"}),
      ElementsAre(AllOf(HasSubstr("'CSINK_EVNTS'"), HasSubstr("did you mean CSINK_EVENTS?"))));
  EXPECT_THAT(Read({"CSINK_SPOOLDIR=/tmp"}), ElementsAre(HasSubstr("CSINK_SPOOL_DIR?")));
  EXPECT_THAT(Read({"CSINK_events=cycles"}), ElementsAre(HasSubstr("CSINK_EVENTS?")));
  EXPECT_THAT(Read({"CSINK_MIN_SAMPLE=3"}), ElementsAre(HasSubstr("CSINK_MIN_SAMPLES?")));
}

TEST_F(ReadConfigTest, SaysWhereToLookWhenNothingComesClose) {
  EXPECT_THAT(Read({"CSINK_XYZZYPLUGH=1"}),
              ElementsAre(AllOf(HasSubstr("unknown variable"), HasSubstr("csink doctor"),
                                ::testing::Not(HasSubstr("did you mean")))));
}

TEST_F(ReadConfigTest, GivesOneLineForEachMistake) {
  EXPECT_EQ(Read({"CSINK_TOP=x", "CSINK_NOPE=1", "CSINK_KEEP=x", "CSINK_=1"}).size(), 4u);
}

TEST_F(ReadConfigTest, IsDeafToOtherPeoplesVariables) {
  EXPECT_THAT(Read({"PATH=/bin", "CSINKX=1", "XCSINK_TOP=3", "csink_top=3", "CSINK"}),
              ElementsAre());
  EXPECT_EQ(config().top, 20u);
}

TEST_F(ReadConfigTest, PrintsNothingThatCouldMoveACursor) {
  const auto lines = Read({"CSINK_TOP=\033[2J\n" + std::string(300, 'x')});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find('\033'), std::string::npos);
  EXPECT_LT(lines[0].size(), 250u);
}

TEST(SetSetting, KeepsTheFormerTextIfTheNewOneIsTooLong) {
  Config config;
  ASSERT_TRUE(SetSetting(config, Setting::kSpoolDir, "/var/tmp/x"));
  EXPECT_FALSE(SetSetting(config, Setting::kSpoolDir, std::string(10'000, 'x')));
  EXPECT_EQ(config.spool_dir.view(), "/var/tmp/x");
}

TEST_F(ReadConfigTest, IgnoresAFolderThatIsTooLongInsteadOfUsingHalfOfIt) {
  EXPECT_THAT(Read({"CSINK_SPOOL_DIR=/" + std::string(500, 'd')}),
              ElementsAre(HasSubstr("a shorter text")));
  EXPECT_EQ(config().spool_dir.size(), 0u);
}

TEST(IsEnabled, IsFalseForEveryWayToSayNo) {
  for (const char* no : {"0", "no", "off", "false", "NO", "Off"}) {
    std::string variable = std::string("CSINK_ENABLE=") + no;
    char* environment[] = {variable.data(), nullptr};
    EXPECT_FALSE(IsEnabled(environment)) << no;
  }
}

TEST(IsEnabled, IsTrueUnlessSomebodySaysNo) {
  char* empty[] = {nullptr};
  EXPECT_TRUE(IsEnabled(empty));
  EXPECT_TRUE(IsEnabled(nullptr));
  for (const char* value : {"1", "yes", "", "nonsense"}) {
    std::string variable = std::string("CSINK_ENABLE=") + value;
    char* environment[] = {variable.data(), nullptr};
    EXPECT_TRUE(IsEnabled(environment)) << value;
  }
}

TEST(FindVariable, TakesWholeNamesOnly) {
  char first[] = "PATHS=wrong";
  char second[] = "PATH=right";
  char third[] = "PATH=second";
  char* environment[] = {first, second, third, nullptr};
  EXPECT_STREQ(FindVariable(environment, "PATH"), "right");
  EXPECT_EQ(FindVariable(environment, "PAT"), nullptr);
  EXPECT_EQ(FindVariable(nullptr, "PATH"), nullptr);
}

}  // namespace
}  // namespace csink::agent

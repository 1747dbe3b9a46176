#include <gmock/gmock.h>

#include <sstream>

#include "agent/settings/config_lines.h"
#include "tests/agent/settings/config_fixture.h"

namespace csink::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> KeyNames() {
  std::istringstream list(ListVariables().c_str());
  std::vector<std::string> names;
  for (std::string name; list >> name;) names.push_back(name);
  return names;
}

struct BadText {
  const char* what;
  std::string text;
};
const BadText kBadTexts[] = {
    {"empty", ""},
    {"huge", std::string(64 * 1024, 'a')},
    {"huge digits", std::string(64 * 1024, '9')},
    {"huge options", std::string(32 * 1024, ';') + std::string(32 * 1024, '=')},
    {"negative", "-1"},
    {"negative time", "-1.5s"},
    {"beyond 64 bits", "18446744073709551616"},
    {"not UTF-8", "\xff\xfe\x80\xc0\xaf"},
    {"cursor", "\033[2J\n\a\r"},
    {"quotes", "'\"`$(id)"},
    {"blank", " \t"},
    {"template", "%%%{%{}%{A%"},
    {"commas", ",,,,"},
    {"sign", "+1"},
    {"float", "1e3"},
    {"hexadecimal", "0x10"},
};

using BadInput = testing::ConfigTest;

std::vector<std::string> EffectiveLines(const Config& config) {
  auto text = std::make_unique<ConfigLines>();
  EventList events;
  WriteConfig(config, events, "ring", /*with_levels=*/true, *text);
  std::istringstream stream(std::string(text->view()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(BadInput, OfOneVariableGivesOneReadableLineAndTouchesNoOther) {
  Read({});
  const auto defaults = EffectiveLines(config());
  for (const std::string& name : KeyNames()) {
    for (const BadText& bad : kBadTexts) {
      SCOPED_TRACE(name + ": " + bad.what);
      SetLogLevel(LogLevel::kWarn);
      const auto lines = Read({name + "=" + bad.text});
      const bool many = name == "CSINK_OPTIONS";
      EXPECT_LE(lines.size(), many ? 9u : 1u);
      if (bad.text.empty()) {
        EXPECT_THAT(lines, IsEmpty());
      }
      for (const std::string& line : lines) {
        EXPECT_LT(line.size(), 400u);
        EXPECT_THAT(line, HasSubstr("CSINK_"));
        for (const char c : line) EXPECT_TRUE(c >= ' ' && c < 127);
      }
      // A text may be anything that fits; then its own line is all there is besides.
      std::size_t others = 0;
      for (const std::string& line : EffectiveLines(config())) {
        const bool own = line.rfind(name + "=", 0) == 0;
        const bool is_default = std::find(defaults.begin(), defaults.end(), line) != defaults.end();
        if (!own && !is_default && line.rfind("CSINK_", 0) == 0) ++others;
      }
      EXPECT_EQ(others, 0u);
    }
  }
}

TEST_F(BadInput, ThatDoesNotFitIsNotUsedByHalf) {
  for (const std::string& name : KeyNames()) {
    if (name == "CSINK_AGENT" || name == "CSINK_EVENT_MACROS") continue;  // others read them
    if (name.starts_with("CSINK_CACHE")) continue;                        // likewise
    if (name == "CSINK_SOURCE_PREFIX") continue;                          // likewise
    if (name.starts_with("CSINK_PUSH")) continue;                         // likewise
    EXPECT_THAT(Read({name + "=" + std::string(64 * 1024, 'a')}), SizeIs(1)) << name;
  }
}

TEST_F(BadInput, InGreatNumbersIsCutShort) {
  std::vector<std::string> variables;
  for (int i = 0; i < 1000; ++i) variables.push_back("CSINK_X" + std::to_string(i) + "=1");
  auto lines = Read(variables);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_THAT(lines.back(), HasSubstr("992 more errors"));
  std::string options = "CSINK_OPTIONS=";
  for (int i = 0; i < 1000; ++i) options += "x" + std::to_string(i) + "=1;";
  lines = Read({options});
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_THAT(lines.back(), HasSubstr("992 more errors"));
}

struct Conflict {
  std::vector<std::string> variables;
  const char* line;
  bool (*holds)(const Config&);
};

class Conflicts : public BadInput, public ::testing::WithParamInterface<Conflict> {};

TEST_P(Conflicts, GiveOneLineAndADefinedResult) {
  const auto lines = Read(GetParam().variables);
  EXPECT_THAT(lines,
              ElementsAre(AllOf(HasSubstr("csink: warn: CSINK_"), HasSubstr(GetParam().line))));
  EXPECT_TRUE(GetParam().holds(config()));
  // In one variable they are the same.
  std::string options = "CSINK_OPTIONS=";
  for (const std::string& variable : GetParam().variables) {
    const std::size_t equals = variable.find('=');
    for (std::size_t i = 6; i < equals; ++i)
      options += static_cast<char>(std::tolower(variable[i]));
    options += variable.substr(equals) + ";";
  }
  SetLogLevel(LogLevel::kWarn);
  EXPECT_EQ(Read({options}), lines);
  EXPECT_TRUE(GetParam().holds(config()));
}

INSTANTIATE_TEST_SUITE_P(
    Each, Conflicts,
    ::testing::Values(
        Conflict{{"CSINK_START_PAUSED=1", "CSINK_DELAY=2s"},
                 "CSINK_DELAY is ignored",
                 [](const Config& c) { return c.start_paused && c.delay_ns == 0; }},
        Conflict{{"CSINK_DURATION=3s", "CSINK_START_PAUSED=1"},
                 "CSINK_DURATION begins at the first resume",
                 [](const Config& c) { return c.start_paused && c.duration_ns == 3'000'000'000; }},
        Conflict{{"CSINK_STACKS=fp", "CSINK_SOURCE=timer"},
                 "CSINK_STACKS is ignored",
                 [](const Config& c) { return c.stacks == Stacks::kOff; }},
        Conflict{{"CSINK_SOURCE=timer", "CSINK_KERNEL=1"},
                 "CSINK_KERNEL is ignored",
                 [](const Config& c) { return !c.kernel; }},
        Conflict{
            {"CSINK_FOLLOW=none", "CSINK_INCLUDE=cc1"},
            "CSINK_INCLUDE has no effect on children",
            [](const Config& c) { return c.follow == Follow::kNone && c.include.size() == 3; }},
        Conflict{{"CSINK_EXCLUDE=cc1", "CSINK_INCLUDE=cc1"},
                 "CSINK_EXCLUDE takes precedence",
                 [](const Config& c) { return c.exclude.size() == 3; }},
        Conflict{{"CSINK_FORMAT=pprof"},
                 "CSINK_FORMAT is ignored: this format needs a file: set CSINK_OUTPUT",
                 [](const Config& c) { return c.format == ReportFormat::kText; }},
        Conflict{{"CSINK_REPORT=0", "CSINK_KEEP=0"},
                 "CSINK_KEEP=0 is ignored",
                 [](const Config& c) { return c.keep && !c.report; }},
        Conflict{{"CSINK_VERBOSE=2", "CSINK_LOG=warn"},
                 "CSINK_VERBOSE is ignored",
                 [](const Config&) { return GetLogLevel() == LogLevel::kWarn; }}));

TEST_F(BadInput, DoesNotSeeConflictsWhereThereAreNone) {
  EXPECT_THAT(Read({"CSINK_REPORT=0", "CSINK_KEEP=1"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_REPORT=0"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_FORMAT=gmon", "CSINK_OUTPUT=gmon.out"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_FORMAT=pprof", "CSINK_TREE=7"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_FORMAT=folded"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_DELAY=1", "CSINK_DURATION=2"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_STACKS=fp", "CSINK_KERNEL=1", "CSINK_SOURCE=ring"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_START_PAUSED=0", "CSINK_DELAY=1"}), IsEmpty());
  EXPECT_THAT(Read({"CSINK_FOLLOW=all", "CSINK_INCLUDE=a", "CSINK_EXCLUDE=b"}), IsEmpty());
}

TEST_F(BadInput, TakesNoSignalThatComesByItself) {
  for (const char* name : {"SEGV", "CHLD", "URG", "TRAP", "KILL", "STOP", "0", "-1", "99"}) {
    EXPECT_THAT(Read({std::string("CSINK_SIGNAL=") + name}), ElementsAre(HasSubstr("USR1")))
        << name;
    EXPECT_EQ(config().signal, 0u);
  }
  EXPECT_THAT(Read({"CSINK_SIGNAL=USR2"}), IsEmpty());
}

struct Level {
  std::vector<std::string> variables;
  LogLevel level;
};
class Levels : public BadInput, public ::testing::WithParamInterface<Level> {};
TEST_P(Levels, SayHowMuchIsSaid) {
  Read(GetParam().variables);
  EXPECT_EQ(GetLogLevel(), GetParam().level);
}
INSTANTIATE_TEST_SUITE_P(
    Each, Levels,
    ::testing::Values(
        Level{{"CSINK_VERBOSE=0"}, LogLevel::kWarn}, Level{{"CSINK_VERBOSE=no"}, LogLevel::kWarn},
        Level{{"CSINK_VERBOSE=1"}, LogLevel::kInfo}, Level{{"CSINK_VERBOSE=yes"}, LogLevel::kInfo},
        Level{{"CSINK_VERBOSE=2"}, LogLevel::kDebug}, Level{{"CSINK_VERBOSE=3"}, LogLevel::kWarn},
        Level{{"CSINK_OPTIONS=verbose"}, LogLevel::kInfo},
        Level{{"CSINK_VERBOSE=1", "CSINK_OPTIONS=verbose=2"}, LogLevel::kInfo},
        Level{{"CSINK_VERBOSE=2", "CSINK_LOG=error"}, LogLevel::kError},
        Level{{"CSINK_LOG=error", "CSINK_VERBOSE=2"}, LogLevel::kError},
        Level{{"CSINK_VERBOSE=2", "CSINK_OPTIONS=log=error"}, LogLevel::kError}));

}  // namespace
}  // namespace csink::agent

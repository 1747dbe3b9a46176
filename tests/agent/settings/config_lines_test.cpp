#include "agent/settings/config_lines.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <map>

#include "tests/agent/settings/config_fixture.h"

namespace csink::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

EventList Events(const char* text) {
  EventComplaint complaint;
  const auto list = ParseEventList(text, complaint);
  EXPECT_TRUE(list) << complaint.c_str();
  return list ? *list : EventList();
}

std::string Lines(const Config& config, const EventList& events, bool timer = false) {
  auto lines = std::make_unique<ConfigLines>();
  WriteConfig(config, events, timer ? "timer" : "ring", /*with_levels=*/!timer, *lines);
  EXPECT_LT(lines->size() + 1, sizeof(ConfigLines) - sizeof(std::size_t)) << "cut off";
  return std::string(lines->view());
}

/// What a shell that sources the lines then has, as "NAME=value".
std::vector<std::string> Sourced(const std::string& lines) {
  const std::string script = "set -a\n" + lines + "env -0 | tr '\\0' '\\001'\n";
  char name[] = "/tmp/csink-config-XXXXXX";
  const int fd = mkstemp(name);
  EXPECT_EQ(write(fd, script.data(), script.size()), static_cast<ssize_t>(script.size()));
  close(fd);
  FILE* shell = popen((std::string("env -i PATH=\"$PATH\" sh ") + name).c_str(), "r");
  std::string text;
  for (int c; (c = fgetc(shell)) != EOF;) text += static_cast<char>(c);
  EXPECT_EQ(pclose(shell), 0);
  unlink(name);
  std::vector<std::string> variables;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\1', at);
    const std::string variable = text.substr(at, end - at);
    if (variable.rfind("CSINK_", 0) == 0) variables.push_back(variable);
    at = end + 1;
  }
  return variables;
}

using WriteConfigTest = testing::ConfigTest;

TEST_F(WriteConfigTest, HasOnlyWhatWasChosenWhenNothingIsSet) {
  Read({});
  EXPECT_EQ(Lines(config(), Events("task-clock")),
            "CSINK_EVENTS='task-clock:u@1000003'\nCSINK_SOURCE='ring'\n");
  EXPECT_EQ(Lines(config(), Events("task-clock@5000000"), true),
            "CSINK_EVENTS='task-clock@5000000'\nCSINK_SOURCE='timer'\n");
}

TEST_F(WriteConfigTest, WritesEventsThatCanBeReadAgain) {
  Read({});
  for (const char* text : {"cycles@4kHz,faults", "task-clock:uk,cycles:k:pp@1000",
                           "context-switches", "page-faults:u@3,r1c2@77777"}) {
    const EventList events = Events(text);
    std::string lines = Lines(config(), events);
    lines = lines.substr(14, lines.find("'\n") - 14);
    const EventList again = Events(lines.c_str());
    ASSERT_EQ(again.count, events.count) << lines;
    for (std::size_t i = 0; i < events.count; ++i) {
      EXPECT_EQ(again.events[i].config, events.events[i].config) << lines;
      EXPECT_EQ(again.events[i].period, events.events[i].period) << lines;
      EXPECT_EQ(again.events[i].frequency_hz, events.events[i].frequency_hz) << lines;
      EXPECT_EQ(again.events[i].exclude_kernel, events.events[i].exclude_kernel) << lines;
      EXPECT_EQ(again.events[i].exclude_user, events.events[i].exclude_user) << lines;
      EXPECT_EQ(again.events[i].precise, events.events[i].precise) << lines;
    }
  }
}

/// Every key that belongs into a profile, with a value that is not its default.
const std::map<std::string, std::string> kEverything = {
    {"CSINK_BASELINE", "before.json"},
    {"CSINK_CONTROL", "/tmp/a fifo"},
    {"CSINK_CRITICAL", "1"},
    {"CSINK_DELAY", "1500ms"},
    {"CSINK_DURATION", "10s"},
    {"CSINK_EXCLUDE", "sh,it's"},
    {"CSINK_FOLLOW", "all"},
    {"CSINK_FORMAT", "json"},
    {"CSINK_INCLUDE", "cc1plus"},
    {"CSINK_KEEP", "1"},
    {"CSINK_KERNEL", "1"},
    {"CSINK_LOG", "error"},
    {"CSINK_MIN_SAMPLES", "5"},
    {"CSINK_OUTPUT", "%e.$(x)`y`\"\\"},
    {"CSINK_PER_THREAD", "1"},
    {"CSINK_RANDOM_START", "0"},
    {"CSINK_REPORT", "0"},
    {"CSINK_SIGNAL", "USR2"},
    {"CSINK_SPOOL_DIR", "/a\nb"},
    {"CSINK_STACKS", "fp"},
    {"CSINK_PYTHON", "off"},
    {"CSINK_TOP", "7"},
    {"CSINK_START_PAUSED", "1"},
    {"CSINK_WAIT", "1"},
};
/// Keys that do not: read by others, of one run alone, files of csink itself.
const std::vector<std::string> kNotKept = {
    "AGENT",  "CACHE",   "CACHE_SIZE", "DOCTOR",       "ENABLE",        "EVENT_MACROS",
    "EVENTS", "OPTIONS", "REPORTER",   "SOURCE",       "SOURCE_PREFIX", "SPOOL_LIMIT",
    "TREE",   "VERBOSE", "PUSH",       "PUSH_INTERVAL"};

TEST_F(WriteConfigTest, GivesAShellEverySettingBack) {
  for (const auto& [name, value] : kEverything) {
    SetLogLevel(LogLevel::kWarn);
    EXPECT_THAT(Read({name + "=" + value}), IsEmpty());
    const std::string first = Lines(config(), Events("faults"));
    EXPECT_THAT(first, HasSubstr("\n" + name + "='"));
    SetLogLevel(LogLevel::kWarn);
    EXPECT_THAT(Read(Sourced(first)), IsEmpty()) << first;
    EXPECT_EQ(Lines(config(), Events("faults")), first);
  }
}

TEST_F(WriteConfigTest, ForgetsNoKey) {
  const auto list = ListVariables();
  std::string_view rest = list.view();
  std::size_t keys = 0;
  while (!rest.empty()) {
    const std::string name(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    ++keys;
    const bool kept = kEverything.count(name) != 0;
    const bool not_kept =
        std::find(kNotKept.begin(), kNotKept.end(), name.substr(6)) != kNotKept.end();
    EXPECT_NE(kept, not_kept) << name;
  }
  EXPECT_EQ(keys, kEverything.size() + kNotKept.size());
}

TEST_F(WriteConfigTest, HasRoomForTheWorstQuotes) {
  std::vector<std::string> variables = {"CSINK_OUTPUT=" + std::string(511, '\'')};
  for (const char* name : {"SPOOL_DIR", "BASELINE", "INCLUDE", "EXCLUDE", "CONTROL"}) {
    variables.push_back(std::string("CSINK_") + name + "=" + std::string(399, '\''));
  }
  variables.push_back("CSINK_EXCLUDE=" + std::string(398, '\''));
  EXPECT_THAT(Read(variables), IsEmpty());
  const std::string lines = Lines(config(), Events("task-clock,cycles,faults,instructions"));
  EXPECT_EQ(lines.back(), '\n');
  EXPECT_THAT(Sourced(lines), Not(IsEmpty()));
}

TEST_F(WriteConfigTest, LeavesTheFolderOfATreeOut) {
  Read({"CSINK_TREE=5", "CSINK_SPOOL_DIR=/tmp/tree"});
  EXPECT_THAT(Lines(config(), Events("faults")), Not(HasSubstr("SPOOL_DIR")));
}

}  // namespace
}  // namespace csink::agent

#include "core/settings/settings.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <set>
#include <string>

#include "core/util/parse.h"

namespace csink {
namespace {

TEST(SettingTable, HasOneLineOfHelpAndOneNameEach) {
  std::set<std::string_view> names;
  std::set<std::string_view> options;
  for (const SettingRow& row : kSettings) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_EQ(row.help.find('\n'), std::string_view::npos) << row.name;
    if (row.option.empty()) continue;
    EXPECT_TRUE(options.insert(row.option).second) << row.name;
    // csink run takes the place of the agent's report, and so of its push.
    const bool is_push = row.setting == Setting::kPush || row.setting == Setting::kPushInterval;
    EXPECT_EQ(row.read_by, is_push ? ReadBy::kCsink : ReadBy::kAgent) << row.name;
    EXPECT_EQ(row.placeholder.empty(), row.type == ValueType::kBool) << row.name;
  }
}

TEST(SettingTable, HasWordsForWordsAndLimitsForTheAgentsTexts) {
  for (const SettingRow& row : kSettings) {
    const bool has_words = row.type == ValueType::kWord || row.type == ValueType::kBoolOrWord;
    EXPECT_EQ(row.words.empty(), !has_words) << row.name;
    const bool is_text = row.type >= ValueType::kList && row.type != ValueType::kSettings;
    EXPECT_EQ(row.most_bytes != 0, is_text && row.read_by == ReadBy::kAgent) << row.name;
  }
}

TEST(SettingTable, HasDefaultsThatCanBeUsed) {
  for (const SettingRow& row : kSettings) {
    if (row.default_value.empty()) continue;
    EXPECT_TRUE(IsUsable(row.setting, row.default_value)) << row.name;
    if (row.type == ValueType::kWord) {
      unsigned char index = 0;
      EXPECT_TRUE(ReadChoice(row.setting, row.default_value, index));
      EXPECT_EQ(WriteChoice(row.setting, index), row.default_value);
    }
  }
  static_assert(DefaultNumber(Setting::kTop) == 20);
  static_assert(DefaultBool(Setting::kReport) && !DefaultBool(Setting::kKeep));
}

TEST(Settings, SayWhatTheTableSays) {
  for (const SettingRow& row : kSettings) {
    EXPECT_EQ(NameOf(row.setting), row.name);
    EXPECT_EQ(DefaultOf(row.setting), row.default_value);
    EXPECT_EQ(TypeOf(row.setting), row.type);
    EXPECT_EQ(ReadByWhom(row.setting), row.read_by);
    EXPECT_EQ(IsInSpool(row.setting), row.in_spool);
  }
}

TEST(Settings, AreFoundByNameAndByKey) {
  for (const SettingRow& row : kSettings) {
    EXPECT_EQ(FindSetting(row.name), row.setting);
    std::string key(row.name);
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_EQ(FindSettingByKey(key), row.setting);
    EXPECT_EQ(FindSetting(key), std::nullopt);
    EXPECT_EQ(FindSettingByKey(row.name), std::nullopt);
  }
  EXPECT_EQ(FindSetting(""), std::nullopt);
  EXPECT_EQ(FindSettingByKey(std::string(100, 'a')), std::nullopt);
}

TEST(Settings, AreSortedByNameForLists) {
  for (std::size_t i = 1; i < kSettingCount; ++i) {
    EXPECT_LT(NameOf(SettingByName(i - 1)), NameOf(SettingByName(i)));
  }
}

TEST(NearestSetting, IsTheOneThatWasMeant) {
  EXPECT_EQ(NearestSetting("EVNTS"), Setting::kEvents);
  EXPECT_EQ(NearestSetting("spooldir"), Setting::kSpoolDir);
  EXPECT_EQ(NearestSetting("XYZZYPLUGH"), std::nullopt);
}

TEST(ReadValue, TakesTimesWithEveryUnit) {
  std::uint64_t ns = 0;
  for (const auto& [text, wanted] : {std::pair<const char*, std::uint64_t>{"5", 5'000'000'000},
                                     {"1.5s", 1'500'000'000},
                                     {"200ms", 200'000'000},
                                     {"50us", 50'000},
                                     {"10ns", 10},
                                     {"1m", 60'000'000'000},
                                     {"1min", 60'000'000'000},
                                     {"0.5min", 30'000'000'000},
                                     {"2h", 7'200'000'000'000}}) {
    EXPECT_TRUE(ReadValue(Setting::kDelay, text, ns)) << text;
    EXPECT_EQ(ns, wanted) << text;
  }
  for (const char* text :
       {"", "s", "min", "1mins", "1 min", "-1", "1.", "1.s", ".5", "1d", "1e3", "9999999999h"}) {
    ns = 7;
    EXPECT_FALSE(ReadValue(Setting::kDelay, text, ns)) << text;
    EXPECT_EQ(ns, 7u) << text;
  }
}

TEST(ReadValue, TakesCountsWithSuffixes) {
  std::uint64_t count = 0;
  EXPECT_TRUE(ReadValue(Setting::kTop, "4k", count));
  EXPECT_EQ(count, 4000u);
  EXPECT_FALSE(ReadValue(Setting::kTop, "4ki", count));
  EXPECT_FALSE(ReadValue(Setting::kTop, "-4", count));
}

TEST(ReadValue, TakesSignalsThatHaveNoOtherUse) {
  std::uint64_t number = 0;
  for (const auto& [text, wanted] : {std::pair<const char*, int>{"USR1", SIGUSR1},
                                     {"SIGUSR2", SIGUSR2},
                                     {"hup", SIGHUP},
                                     {"RTMIN+3", 37},
                                     {"12", 12}}) {
    EXPECT_TRUE(ReadValue(Setting::kSignal, text, number)) << text;
    EXPECT_EQ(number, static_cast<std::uint64_t>(wanted)) << text;
  }
  for (const char* text : {"INT", "TERM", "URG", "CHLD", "SEGV", "BUS", "FPE", "ILL", "TRAP", "SYS",
                           "ABRT", "KILL", "STOP", "0", "32", "65", "USR3", ""}) {
    EXPECT_FALSE(ReadValue(Setting::kSignal, text, number)) << text;
  }
}

TEST(ReadChoice, CountsWordsAsTheirEnumerators) {
  unsigned char index = 0;
  for (const char* word : {"none", "fork", "exec", "all"}) {
    unsigned char read = 9;
    EXPECT_TRUE(ReadChoice(Setting::kFollow, word, read));
    EXPECT_EQ(read, index++);
    EXPECT_EQ(WriteChoice(Setting::kFollow, read), word);
  }
  for (const char* text : {"", "Fork", "fork ", "none fork", "for"}) {
    EXPECT_FALSE(ReadChoice(Setting::kFollow, text, index)) << text;
  }
}

TEST(ReadChoice, TakesABoolOrAWordWhereBothMayStand) {
  unsigned char index = 9;
  EXPECT_TRUE(ReadChoice(Setting::kDoctor, "no", index));
  EXPECT_EQ(index, 0);
  EXPECT_TRUE(ReadChoice(Setting::kDoctor, "true", index));
  EXPECT_EQ(index, 1);
  EXPECT_TRUE(ReadChoice(Setting::kDoctor, "events", index));
  EXPECT_EQ(index, 2);
  EXPECT_FALSE(ReadChoice(Setting::kDoctor, "2", index));
  EXPECT_TRUE(ReadChoice(Setting::kVerbose, "2", index));
  EXPECT_EQ(index, 2);
}

TEST(IsUsable, KnowsTheLengthOfTexts) {
  EXPECT_TRUE(IsUsable(Setting::kInclude, std::string(399, 'a')));
  EXPECT_FALSE(IsUsable(Setting::kInclude, std::string(400, 'a')));
  EXPECT_TRUE(IsUsable(Setting::kAgent, std::string(4000, 'a')));
}

TEST(ExpectationOf, NamesEveryWord) {
  EXPECT_EQ(ExpectationOf(Setting::kSource).view(), "auto, ring or timer");
  EXPECT_EQ(ExpectationOf(Setting::kVerbose).view(), "1 or 0, yes or no, on or off, or 2");
  for (const SettingRow& row : kSettings) {
    const Expectation text = ExpectationOf(row.setting);
    EXPECT_GT(text.size(), 0u) << row.name;
    EXPECT_LT(text.size() + 1, kExpectationRoom) << row.name << ": cut off";
    for (std::size_t i = 0; !WordAt(row.words, i).empty(); ++i) {
      EXPECT_NE(text.view().find(WordAt(row.words, i)), std::string_view::npos) << row.name;
    }
  }
}

TEST(WriteValue, CanBeReadAgain) {
  std::uint64_t ns = 0;
  EXPECT_TRUE(ReadValue(Setting::kDelay, WriteValue(Setting::kDelay, 1'500'000'000).view(), ns));
  EXPECT_EQ(ns, 1'500'000'000u);
  EXPECT_EQ(WriteValue(Setting::kDelay, 0).view(), DefaultOf(Setting::kDelay));
  EXPECT_EQ(WriteValue(Setting::kSignal, 0).view(), DefaultOf(Setting::kSignal));
  EXPECT_EQ(WriteValue(Setting::kTop, 20).view(), DefaultOf(Setting::kTop));
  EXPECT_EQ(WriteValue(true), "1");
}

}  // namespace
}  // namespace csink

#include <gmock/gmock.h>

#include "core/util/option_tokens.h"
#include "tests/agent/settings/config_fixture.h"

namespace csink::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

bool IsTestKey(std::string_view key) noexcept { return key == "format" || key == "keep"; }

std::vector<std::pair<std::string, std::string>> Tokens(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> found;
  OptionTokens tokens(text, IsTestKey);
  for (Option option; tokens.Next(option);) {
    found.emplace_back(
        option.key, option.mistake ? std::string("!") + option.mistake : std::string(option.value));
  }
  return found;
}

TEST(OptionTokens, AreSeparatedBySemicolonsAndLines) {
  EXPECT_THAT(Tokens("a=1;b=two\nc=3"),
              ElementsAre(Pair("a", "1"), Pair("b", "two"), Pair("c", "3")));
  EXPECT_THAT(Tokens(" a = 1 ;; ;\r\n b=2; "), ElementsAre(Pair("a", "1"), Pair("b", "2")));
  EXPECT_THAT(Tokens(""), IsEmpty());
  EXPECT_THAT(Tokens(" ;;,\n "), IsEmpty());
}

TEST(OptionTokens, KeepTheCommasOfAListButNotThoseBeforeAKey) {
  EXPECT_THAT(Tokens("events=cycles,faults@7;x=1"),
              ElementsAre(Pair("events", "cycles,faults@7"), Pair("x", "1")));
  EXPECT_THAT(
      Tokens("events=cycles,faults, format=json,keep=0"),
      ElementsAre(Pair("events", "cycles,faults"), Pair("format", "json"), Pair("keep", "0")));
  EXPECT_THAT(Tokens("events=a,other=b"), ElementsAre(Pair("events", "a,other=b")));
}

TEST(OptionTokens, TakeAKeyAloneForYes) {
  EXPECT_THAT(Tokens("keep;events=x"), ElementsAre(Pair("keep", "1"), Pair("events", "x")));
  EXPECT_THAT(Tokens("keep,format=json"), ElementsAre(Pair("keep", "1"), Pair("format", "json")));
  EXPECT_THAT(Tokens("keep="), ElementsAre(Pair("keep", "")));
}

TEST(OptionTokens, TakeAQuotedValueAsItStands) {
  EXPECT_THAT(Tokens("a='x;y=1,keep=1';b=\"it's\""),
              ElementsAre(Pair("a", "x;y=1,keep=1"), Pair("b", "it's")));
  EXPECT_THAT(Tokens("a='',b=1"), ElementsAre(Pair("a", ""), Pair("b", "1")));
}

TEST(OptionTokens, NameTheMistakesOfQuotes) {
  EXPECT_THAT(Tokens("a='x;b=1"),
              ElementsAre(Pair("a", HasSubstr("!the closing quote is missing"))));
  EXPECT_THAT(Tokens("a='x'y;b=1"),
              ElementsAre(Pair("a", HasSubstr("!text follows")), Pair("b", "1")));
}

using Options = testing::ConfigTest;

TEST_F(Options, SetWhatTheVariablesWouldSet) {
  EXPECT_THAT(Read({"CSINK_OPTIONS=events=cycles@4kHz,faults;source=ring,format=json;top=7;keep;"
                    "spool_dir='/var/a;b'"}),
              IsEmpty());
  EXPECT_EQ(config().events.view(), "cycles@4kHz,faults");
  EXPECT_EQ(config().source, SourceChoice::kRing);
  EXPECT_EQ(config().format, ReportFormat::kJson);
  EXPECT_EQ(config().top, 7u);
  EXPECT_TRUE(config().keep);
  EXPECT_EQ(config().spool_dir.view(), "/var/a;b");
}

TEST_F(Options, GiveWayToAVariableOfItsOwn) {
  EXPECT_THAT(Read({"CSINK_TOP=3", "CSINK_OPTIONS=top=7;keep=1", "CSINK_KEEP="}), IsEmpty());
  EXPECT_EQ(config().top, 3u);
  EXPECT_TRUE(config().keep) << "an empty variable is not set";
  EXPECT_THAT(Read({"CSINK_OPTIONS=top=7", "CSINK_TOP=many"}), ElementsAre(HasSubstr("CSINK_TOP")));
  EXPECT_EQ(config().top, 7u);
}

TEST_F(Options, TakeTheLastOfTwo) {
  EXPECT_THAT(Read({"CSINK_OPTIONS=top=7;top=8"}), IsEmpty());
  EXPECT_EQ(config().top, 8u);
}

TEST_F(Options, NameTheNearestKeyInTheirOwnSpelling) {
  EXPECT_THAT(Read({"CSINK_OPTIONS=evnts=cycles"}),
              ElementsAre(AllOf(HasSubstr("'evnts'"), HasSubstr("did you mean events?"))));
  EXPECT_THAT(Read({"CSINK_OPTIONS=TOP=3"}), ElementsAre(HasSubstr("did you mean top?")));
  EXPECT_THAT(Read({"CSINK_OPTIONS=top=x"}),
              ElementsAre(AllOf(HasSubstr("CSINK_OPTIONS: top='x'"), HasSubstr("a whole number"))));
}

TEST_F(Options, SayWhichKeysMustBeVariables) {
  EXPECT_THAT(Read({"CSINK_OPTIONS=agent=/x"}),
              ElementsAre(HasSubstr("set the variable CSINK_AGENT")));
  EXPECT_THAT(Read({"CSINK_OPTIONS=options=top"}), ElementsAre(HasSubstr("CSINK_OPTIONS")));
}

TEST_F(Options, SettleHowMuchIsSaidBeforeTheRestIsRead) {
  EXPECT_THAT(Read({"CSINK_NONSENSE=1", "CSINK_OPTIONS=top=x;log=error"}), IsEmpty());
  EXPECT_EQ(GetLogLevel(), LogLevel::kError);
}

TEST(IsEnabledByOptions, IsReadBeforeAnythingElse) {
  testing::FakeEnvironment off({"CSINK_OPTIONS=top=3;enable=no"});
  EXPECT_FALSE(IsEnabled(off.data()));
  testing::FakeEnvironment on({"CSINK_OPTIONS=enable=0", "CSINK_ENABLE=1"});
  EXPECT_TRUE(IsEnabled(on.data()));
  testing::FakeEnvironment empty({"CSINK_OPTIONS=enable=0", "CSINK_ENABLE="});
  EXPECT_FALSE(IsEnabled(empty.data()));
}

}  // namespace
}  // namespace csink::agent

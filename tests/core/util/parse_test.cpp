#include "core/util/parse.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

TEST(ParseUnsigned, TakesTheWholeRange) {
  EXPECT_EQ(*ParseUnsigned("0"), 0u);
  EXPECT_EQ(*ParseUnsigned("18446744073709551615"), ~0ull);
}

TEST(ParseUnsigned, RefusesWhatIsNotANumber) {
  for (const char* bad : {"", " 1", "1 ", "-1", "+1", "1.5", "0x10", "ten"}) {
    EXPECT_EQ(ParseUnsigned(bad).error().code, Errc::kInvalid) << bad;
  }
}

TEST(ParseUnsigned, RefusesOverflow) {
  EXPECT_EQ(ParseUnsigned("18446744073709551616").error().code, Errc::kLimit);
}

TEST(ParseHex, TakesBothCases) { EXPECT_EQ(*ParseHex("7fFf"), 0x7fffu); }

TEST(ParseBool, KnowsTheUsualWords) {
  for (const char* yes : {"1", "yes", "ON", "True"}) EXPECT_TRUE(*ParseBool(yes));
  for (const char* no : {"0", "No", "off", "FALSE"}) EXPECT_FALSE(*ParseBool(no));
  EXPECT_FALSE(ParseBool("maybe"));
  EXPECT_FALSE(ParseBool(""));
}

TEST(ParseCount, TakesSiSuffixes) {
  EXPECT_EQ(*ParseCount("4k"), 4000u);
  EXPECT_EQ(*ParseCount("2M"), 2000000u);
  EXPECT_EQ(ParseCount("99999999999G").error().code, Errc::kLimit);
  EXPECT_EQ(ParseCount("k").error().code, Errc::kInvalid);
}

TEST(NextToken, WalksAList) {
  std::string_view rest = "a,,b";
  EXPECT_EQ(NextToken(rest, ','), "a");
  EXPECT_EQ(NextToken(rest, ','), "");
  EXPECT_EQ(NextToken(rest, ','), "b");
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(NextToken(rest, ','), "");
}

TEST(Trimmed, TakesBlanksFromBothEnds) {
  EXPECT_EQ(Trimmed(std::string_view(" \ta b\r\n\0", 8)), "a b");
  EXPECT_EQ(Trimmed(" \t"), "");
}

TEST(FieldOf, FindsTheFirstLineOfThatKey) {
  constexpr std::string_view kText = "a : 1\nabc\t: two words \nabc: 3\nbare\nempty:\nlast:9";
  EXPECT_EQ(FieldOf(kText, "abc"), "two words");
  EXPECT_EQ(FieldOf(kText, "empty"), "");
  EXPECT_EQ(FieldOf(kText, "ab"), "");
  EXPECT_EQ(FieldOf(kText, "bare"), "");
  EXPECT_EQ(FieldOf(kText, "last"), "9");
  EXPECT_EQ(FieldOf("", "a"), "");
}

TEST(EditDistance, CountsEditsUpToTheCap) {
  EXPECT_EQ(EditDistance("cycles", "cycles", 3), 0u);
  EXPECT_EQ(EditDistance("CYCLES", "cylces", 3), 2u);
  EXPECT_EQ(EditDistance("", "abc", 5), 3u);
  EXPECT_EQ(EditDistance("completely", "different", 3), 4u);
}

}  // namespace
}  // namespace csink

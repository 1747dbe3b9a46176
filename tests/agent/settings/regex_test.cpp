#include "agent/settings/regex.h"

#include <gtest/gtest.h>

#include <string>

namespace csink::agent {
namespace {

bool Whole(const char* pattern, const char* text) {
  return MatchRegex(pattern, text, true) == RegexMatch::kYes;
}
bool Within(const char* pattern, const char* text) {
  return MatchRegex(pattern, text, false) == RegexMatch::kYes;
}

TEST(MatchRegex, TakesLettersAsTheyAre) {
  EXPECT_TRUE(Whole("cc1", "cc1"));
  EXPECT_FALSE(Whole("cc1", "cc1plus"));
  EXPECT_FALSE(Whole("cc1", "xcc1"));
  EXPECT_TRUE(Within("c1p", "cc1plus"));
  EXPECT_TRUE(Whole("", ""));
  EXPECT_FALSE(Whole("", "a"));
}

TEST(MatchRegex, KnowsRepetitions) {
  EXPECT_TRUE(Whole("a*b", "b"));
  EXPECT_TRUE(Whole("a*ab", "aaab"));
  EXPECT_FALSE(Whole("a+b", "b"));
  EXPECT_TRUE(Whole("colou?r", "color"));
  EXPECT_TRUE(Whole("colou?r", "colour"));
  EXPECT_FALSE(Whole("colou?r", "colouur"));
  EXPECT_TRUE(Whole(".*", ""));
  EXPECT_TRUE(Whole(".*-gcc(-[0-9]+)?", "x86_64-linux-gnu-gcc-12"));
}

TEST(MatchRegex, KnowsClasses) {
  EXPECT_TRUE(Whole("[a-c]+", "abccba"));
  EXPECT_FALSE(Whole("[^a-c]+", "abx"));
  EXPECT_TRUE(Whole("[]x-]+", "]-x"));
  EXPECT_TRUE(Whole("[\\d.]+", "3.14"));
  EXPECT_TRUE(Whole("\\w+\\s\\.", "word ."));
  EXPECT_FALSE(Whole("\\.", "x"));
}

TEST(MatchRegex, KnowsGroupsAndAlternatives) {
  EXPECT_TRUE(Whole("cc1|as|ld", "as"));
  EXPECT_FALSE(Whole("cc1|as|ld", "asld"));
  EXPECT_TRUE(Whole("(ab|c)*d", "abcabd"));
  EXPECT_TRUE(Whole("(ab)+", "abab"));
  EXPECT_FALSE(Whole("(ab)+", ""));
  EXPECT_TRUE(Whole("x(a|b(c|d))?y", "xbdy"));
  EXPECT_TRUE(Whole("(a*)*b", "aab"));
}

TEST(MatchRegex, KnowsBothEnds) {
  EXPECT_TRUE(Within("^/usr/bin/", "/usr/bin/ld"));
  EXPECT_FALSE(Within("^bin", "/usr/bin/ld"));
  EXPECT_TRUE(Within("\\.c$", "main.c"));
  EXPECT_FALSE(Within("\\.c$", "main.cpp"));
}

TEST(MatchRegex, RefusesWhatIsNoPattern) {
  for (const char* pattern : {"(", ")", "(a", "a)", "*a", "a|*", "[", "[a", "\\", "a**", "(\\"}) {
    EXPECT_EQ(MatchRegex(pattern, "a", false), RegexMatch::kBad) << pattern;
  }
}

TEST(MatchRegex, GivesUpInsteadOfRunningForEver) {
  const std::string text(400, 'a');
  EXPECT_EQ(MatchRegex("(a|a)*(a|a)*(a|a)*b", text, true), RegexMatch::kTooHard);
  const std::string nested = std::string(40, '(') + "a" + std::string(40, ')');
  EXPECT_EQ(MatchRegex(nested, "a", true), RegexMatch::kBad);
}

TEST(MatchRegex, SurvivesAnyPattern) {
  std::uint32_t random = 1;
  const char letters[] = "ab().*+?|[]^$-\\";
  for (int round = 0; round < 20000; ++round) {
    std::string pattern;
    for (int i = 0; i < 8; ++i) {
      random = random * 1664525u + 1013904223u;
      pattern += letters[(random >> 16) % (sizeof letters - 1)];
    }
    (void)MatchRegex(pattern, "abba-b", round % 2 == 0);
  }
}

}  // namespace
}  // namespace csink::agent

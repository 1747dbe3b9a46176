#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/counting/catalogue/event_macros.h"

namespace csink {
namespace {

using testing::HasSubstr;

constexpr char kFile[] =
    "# who is counted\n"
    "event skx::UOPS_*\n"
    "group threads\n"
    "  default THIS_THREAD = t=0\n"
    "  ALL_THREADS = t=1\n"
    "  SOME_THREADS = t=1:c=?\n"
    "group shape            # no default\n"
    "  EDGES = e=1\n"
    "  LEVEL = e=0\n"
    "\n"
    "event INST_?ETIRED\n"
    "group level\n"
    "  fixed USER_ONLY = u=1:k=0\n";

EventMacros Parsed(std::string_view text = kFile) {
  std::string problem;
  Result<EventMacros> macros = EventMacros::Parse(text, "m", problem);
  EXPECT_TRUE(macros) << problem;
  return macros ? std::move(*macros) : EventMacros();
}

/// The expansion, or "code: complaint".
std::string Expand(std::string_view event, std::string_view attributes) {
  const EventMacros macros = Parsed();
  EventComplaint complaint;
  const Result<std::string> expanded =
      EventMacros::Expand(macros.GroupsOf("skx", event), attributes, event, complaint);
  if (expanded) return *expanded;
  return std::to_string(static_cast<int>(expanded.error().code)) + ": " + complaint.c_str();
}

std::string ProblemOf(std::string_view text) {
  std::string problem;
  EXPECT_FALSE(EventMacros::Parse(text, "m", problem));
  return problem;
}

TEST(EventMacros, TakesTheDefaultOfAGroup) { EXPECT_EQ(Expand("UOPS_ISSUED", "EDGES"), "e=1:t=0"); }

TEST(EventMacros, TakesTheChoiceInsteadOfTheDefault) {
  EXPECT_EQ(Expand("UOPS_ISSUED", "ALL_THREADS:LEVEL"), "t=1:e=0");
  EXPECT_EQ(Expand("UOPS_ISSUED", "ANY:edges:all_threads"), "ANY:t=1:e=1");
}

TEST(EventMacros, LetsAModifierByHandReplaceADefaultOrBeTheChoice) {
  EXPECT_EQ(Expand("UOPS_ISSUED", "t=1:e=0"), "t=1:e=0");
}

TEST(EventMacros, NamesTheGroupOfAMissingChoice) {
  const std::string missing = Expand("UOPS_ISSUED", "");
  EXPECT_THAT(missing, HasSubstr("macro group shape: EDGES, LEVEL"));
  EXPECT_EQ(missing[0], '0' + static_cast<int>(Errc::kAttribute));
}

TEST(EventMacros, AsksForTheValueThatAMacroLeavesOpen) {
  EXPECT_EQ(Expand("UOPS_ISSUED", "SOME_THREADS:c=4:LEVEL"), "c=4:t=1:e=0");
  EXPECT_THAT(Expand("UOPS_ISSUED", "SOME_THREADS:LEVEL"),
              HasSubstr("SOME_THREADS of group threads needs a value of c: add c=N"));
}

TEST(EventMacros, RefusesTwoChoicesOfOneGroup) {
  const std::string both = Expand("UOPS_ISSUED", "EDGES:LEVEL");
  EXPECT_THAT(both, HasSubstr("EDGES and LEVEL belong to the same macro group, shape"));
  EXPECT_EQ(both[0], '0' + static_cast<int>(Errc::kCombination));
}

TEST(EventMacros, KeepsWhatAFixedEntryFixes) {
  EXPECT_EQ(Expand("INST_RETIRED", ""), "u=1:k=0");
  EXPECT_EQ(Expand("INST_RETIRED", "k=0:USER_ONLY"), "k=0:u=1");
  EXPECT_THAT(
      Expand("INST_RETIRED", "k=1"),
      HasSubstr("USER_ONLY of group level fixes k to 0, and the event string sets it to \"1\""));
}

TEST(EventMacros, RefusesAValueThatAChosenMacroContradicts) {
  EXPECT_THAT(Expand("UOPS_ISSUED", "EDGES:e=0"), HasSubstr("fixes e to 1"));
  EXPECT_EQ(Expand("UOPS_ISSUED", "EDGES:e"), "e:t=0");
}

TEST(EventMacros, SpeaksOnlyOfTheEventsOfItsPattern) {
  const EventMacros macros = Parsed();
  EXPECT_EQ(macros.GroupsOf("skx", "uops_issued").size(), 2u);
  EXPECT_EQ(macros.GroupsOf("hsw", "UOPS_ISSUED").size(), 0u);
  EXPECT_EQ(macros.GroupsOf("hsw", "INST_RETIRED").size(), 1u);
  EXPECT_EQ(macros.GroupsOf("skx", "CYCLES").size(), 0u);
}

TEST(EventMacros, SaysFileAndLineOfAMistake) {
  EXPECT_EQ(ProblemOf("group a\n"), "m:1: a \"group\" line must follow an \"event\" line");
  EXPECT_THAT(ProblemOf("\nevent E\nA = e=1\n"), HasSubstr("m:3: an entry must follow"));
  EXPECT_THAT(ProblemOf("event E\ngroup a\ngroup b\nA = e=1\n"),
              HasSubstr("m:2: group a has no entry"));
  EXPECT_THAT(ProblemOf("event E\ngroup a\n"), HasSubstr("m:2: group a has no entry"));
  EXPECT_THAT(ProblemOf("event E\ngroup a\ndefault A = e=1\ndefault B = e=0\n"),
              HasSubstr("m:4: "));
  EXPECT_THAT(ProblemOf("event E\ngroup a\nfixed A = e=1\nB = e=0\n"), HasSubstr("m:4: "));
  EXPECT_THAT(ProblemOf("event E\ngroup a\nA = \n"), HasSubstr("m:3: "));
  EXPECT_THAT(ProblemOf("event E\ngroup a\nA = e=\n"), HasSubstr("m:3: e= needs a value"));
  EXPECT_THAT(ProblemOf("event E\ngroup a\nA = x::y\n"), HasSubstr("m:3: "));
  EXPECT_THAT(ProblemOf("event E\ngroup a\nA = e=1\na = e=0\n"),
              HasSubstr("m:4: macro A is defined twice"));
  EXPECT_THAT(ProblemOf("event E\ngroup a\nA = e=1\nB = A:c=1\n"),
              HasSubstr("m:4: macro A cannot be used"));
  EXPECT_THAT(ProblemOf("nonsense\n"), HasSubstr("m:1: expected event, group"));
  EXPECT_THAT(ProblemOf("event a::b:c\n"), HasSubstr("m:1: "));
}

TEST(EventMacros, SaysThatAFileCannotBeRead) {
  std::string problem;
  const Result<EventMacros> macros = EventMacros::Load("/no/such/file", problem);
  ASSERT_FALSE(macros);
  EXPECT_EQ(macros.error().code, Errc::kNotFound);
  EXPECT_EQ(problem, "/no/such/file: cannot be opened");
}

TEST(MatchesPattern, KnowsStarsAndQuestionMarks) {
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("a*b*c", "AxxBybC"));
  EXPECT_FALSE(MatchesPattern("a*b*c", "axxbyb"));
  EXPECT_FALSE(MatchesPattern("?", ""));
  EXPECT_TRUE(MatchesPattern("a**", "a"));
}

}  // namespace
}  // namespace csink

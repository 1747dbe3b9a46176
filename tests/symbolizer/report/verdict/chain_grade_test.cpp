#include "symbolizer/report/verdict/chain_grade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace csink::report {
namespace {

using spool::ChainEnd;
using spool::ChainWay;
using ::testing::HasSubstr;
using ::testing::Not;

Profile WithModules() {
  Profile profile;
  for (const char* path : {"/usr/bin/app", "/usr/lib/libodd.so", "/usr/lib/libgood.so"}) {
    profile.modules.emplace_back().path = path;
  }
  profile.processes.emplace_back();
  return profile;
}

ChainEndSum Ended(ChainEnd end, std::uint64_t chains, std::uint32_t module = 0,
                  ChainWay way = ChainWay::kUnwind, std::uint32_t copied = 8192) {
  return {.end = end, .way = way, .module = module, .copied_bytes = copied, .chains = chains};
}

TEST(ChainGrade, SaysNothingWithoutChains) {
  EXPECT_FALSE(GradeChains(WithModules(), false));
  EXPECT_FALSE(GradeChains(WithModules(), true));
}

TEST(ChainGrade, IsGoodIfNearlyAllChainsAreComplete) {
  Profile profile = WithModules();
  profile.chain_ends = {Ended(ChainEnd::kMain, 900), Ended(ChainEnd::kThread, 50),
                        Ended(ChainEnd::kContext, 30), Ended(ChainEnd::kJit, 20)};
  profile.processes[0].bad_stacks = 20;
  const auto grade = GradeChains(profile, false);
  ASSERT_TRUE(grade);
  EXPECT_EQ(grade->grade, Grade::kGood);
  EXPECT_EQ(grade->reach_start, 950u);
  EXPECT_EQ(grade->known_end, 30u);
  EXPECT_EQ(grade->cut, 20u);
  EXPECT_EQ(ChainLine(*grade),
            "call chains good: 95.0% of 1,000 chains reach the start of a thread, 30 (3.0%) end in "
            "a known place: at the bottom of a fiber; 20 (2.0%) are cut, marked [cut]: at JIT code "
            "without unwind rows");
}

TEST(ChainGrade, NamesEachCauseWithItsModules) {
  Profile profile = WithModules();
  profile.chain_ends = {Ended(ChainEnd::kMain, 100), Ended(ChainEnd::kCopyEnded, 500),
                        Ended(ChainEnd::kNoRows, 100, 1), Ended(ChainEnd::kNoRows, 50, 2)};
  profile.processes[0].bad_stacks = 650;
  const auto grade = GradeChains(profile, false);
  ASSERT_TRUE(grade);
  EXPECT_EQ(grade->grade, Grade::kPoor);
  const std::string line = ChainLine(*grade);
  EXPECT_THAT(line, HasSubstr("500 behind the 8 KiB of stack that were copied, 150 at code without "
                              "unwind rows (libodd.so 100, libgood.so 50)"));
  EXPECT_THAT(line, Not(HasSubstr("frame pointer")));
}

TEST(ChainGrade, SuggestsLongerCopiesOnlyWhereTheyAreShort) {
  Profile profile = WithModules();
  profile.chain_ends = {Ended(ChainEnd::kCopyEnded, 500, 0, ChainWay::kFramePointers, 256)};
  EXPECT_THAT(ChainLine(*GradeChains(profile, false)),
              HasSubstr("behind the 256 bytes of stack that were copied (CSINK_STACKS=unwind"));
}

TEST(ChainGrade, KeepsLooksApart) {
  Profile profile = WithModules();
  profile.chain_ends = {Ended(ChainEnd::kMain, 100),
                        Ended(ChainEnd::kThread, 132, 0, ChainWay::kLook),
                        Ended(ChainEnd::kMoved, 110, 0, ChainWay::kLook)};
  const auto looks = GradeChains(profile, true);
  ASSERT_TRUE(looks);
  EXPECT_EQ(looks->grade, Grade::kPoor);
  EXPECT_EQ(ChainLine(*looks),
            "call chains of blocked threads poor: 54.5% of 242 looks reach the start of a thread; "
            "110 (45.5%) are cut, marked [cut]: at threads that ran during the look");
  EXPECT_EQ(GradeChains(profile, false)->chains, 100u);
}

TEST(ChainGrade, DoesNotGuessWhatAnOlderSpoolDidNotRecord) {
  Profile profile = WithModules();
  profile.processes[0].bad_stacks = 50;
  const auto old = GradeChains(profile, false);
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->grade);
  EXPECT_EQ(ChainLine(*old), "50 call chains are cut, marked [cut]; the causes were not recorded");
  // Together with a newer one.
  profile.chain_ends = {Ended(ChainEnd::kMain, 100), Ended(ChainEnd::kDepth, 10)};
  EXPECT_THAT(ChainLine(*GradeChains(profile, false)),
              HasSubstr("50 (33.3%) are cut, marked [cut]: 40 for an unknown reason, 10 at the "
                        "greatest depth that is followed"));
}

TEST(ChainGrade, DoesNotJudgeWhatWasNotChecked) {
  Profile profile = WithModules();
  profile.chain_ends = {Ended(ChainEnd::kUnchecked, 100, 0, ChainWay::kKernel, 0)};
  const auto grade = GradeChains(profile, false);
  EXPECT_FALSE(grade->grade);
  EXPECT_THAT(ChainLine(*grade), HasSubstr("call chains not judged: "));
}

TEST(ChainGrade, HasAWordForEachEnd) {
  EXPECT_STREQ(WordFor(ChainEnd::kMain), "main");
  EXPECT_STREQ(WordFor(ChainEnd::kCopyEnded), "copy_ended");
  EXPECT_STREQ(WordFor(ChainEnd::kUnreadable), "unreadable");
  EXPECT_STREQ(WordFor(ChainEnd::kMoved), "moved");
  EXPECT_STREQ(WordFor(static_cast<ChainEnd>(200)), "unknown");
}

}  // namespace
}  // namespace csink::report

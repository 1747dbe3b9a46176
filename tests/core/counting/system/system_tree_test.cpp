#include "core/counting/system/system_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CpuList, TakesRangesAndSingles) {
  EXPECT_THAT(ParseCpuList("0-3,8,10-11\n"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(ParseCpuList("5"), ElementsAre(5));
  EXPECT_THAT(ParseCpuList("3,1,1-2"), ElementsAre(1, 2, 3));
}

TEST(CpuList, EndsAtTheFirstThingThatIsNone) {
  EXPECT_THAT(ParseCpuList(""), IsEmpty());
  EXPECT_THAT(ParseCpuList("-1"), IsEmpty());
  EXPECT_THAT(ParseCpuList("1,x,3"), ElementsAre(1));
  EXPECT_THAT(ParseCpuList("2-1,4"), ElementsAre(4));
  EXPECT_THAT(ParseCpuList("0-4294967295"), IsEmpty());
}

TEST(SystemTree, GivesNothingForWhatIsNotThere) {
  const testing::RecordedTree recorded({{"/a/number", "42\n"}, {"/a/word", "forty\nsecond"}});
  const SystemTree tree = recorded.tree();
  EXPECT_EQ(tree.Number("/a/number"), 42u);
  EXPECT_EQ(tree.Number("/a/word"), std::nullopt);
  EXPECT_EQ(tree.Line("/a/word"), "forty");
  EXPECT_EQ(tree.Read("/none"), "");
  EXPECT_EQ(tree.Read("/a"), "");  // a folder
  EXPECT_THAT(tree.Names("/a"), ElementsAre("number", "word"));
  EXPECT_THAT(tree.Names("/none"), IsEmpty());
  EXPECT_FALSE(tree.is_host());
}

}  // namespace
}  // namespace csink

#include "symbolizer/report/wording/command_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace csink::report {
namespace {

using ::testing::ElementsAre;

TEST(ProgramOfCommand, IsTheFirstWordWithoutItsFolders) {
  EXPECT_EQ(ProgramOfCommand("/usr/lib/gcc/cc1 -quiet a.c"), "cc1");
  EXPECT_EQ(ProgramOfCommand("make"), "make");
  EXPECT_EQ(ProgramOfCommand("sh -c /bin/true"), "sh");
  EXPECT_EQ(ProgramOfCommand(""), "");
}

TEST(DifferingParts, LeavesOutWhatAllCommandsOfAProgramHave) {
  EXPECT_THAT(
      DifferingParts({"/usr/lib/gcc/cc1 -quiet -imultiarch x86_64-linux-gnu a.c -dumpbase a.c "
                      "-mtune=generic -o /tmp/ccA.s",
                      "make -j2",
                      "/usr/lib/gcc/cc1 -quiet -imultiarch x86_64-linux-gnu b.c -dumpbase b.c "
                      "-mtune=generic -O2 -o /tmp/ccB.s"},
                     40),
      ElementsAre("cc1 ... a.c ... /tmp/ccA.s", "make -j2", "cc1 ... b.c ... -O2 -o /tmp/ccB.s"));
}

TEST(DifferingParts, KeepsCommandsThatFit) {
  EXPECT_THAT(DifferingParts({"cc1 -quiet a.c", "cc1 -quiet b.c"}, 14),
              ElementsAre("cc1 -quiet a.c", "cc1 -quiet b.c"));
  EXPECT_THAT(DifferingParts({"cc1 -quiet a.c", "cc1 -quiet b.c"}, 13),
              ElementsAre("cc1 ... a.c", "cc1 ... b.c"));
}

TEST(DifferingParts, KeepsEqualCommandsAndSingleOnesWhole) {
  EXPECT_THAT(DifferingParts({"wave --grid 64", "wave --grid 64", "plot --all --wide"}, 4),
              ElementsAre("wave --grid 64", "wave --grid 64", "plot --all --wide"));
}

TEST(DifferingParts, SurvivesOddCommands) {
  EXPECT_THAT(DifferingParts({"", "  ", "a", "a  b", "a b b"}, 0),
              ElementsAre("", "  ", "a", "a b", "a b b"));
  EXPECT_TRUE(DifferingParts({}, 0).empty());
}

}  // namespace
}  // namespace csink::report

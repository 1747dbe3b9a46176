#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compat/utils/run.h"
#include "compat/utils/text.h"

namespace csink::utils {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Option kOptions[] = {{'e', "event", "NAME", "Explain - .not a macro."},
                               {300, "a-long-word", "ARGUMENT-THAT-IS-LONG", "Text."}};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr ExitCode kExits[] = {{0, "fine"}, {1, "failed"}};
constexpr const char* kSeeAlso[] = {"papi_avail", "papi_cost"};
constexpr Section kSections[] = {{"Examples", "Try:\n  tool -e 'A'\n  tool \\x"}};
constexpr Tool kTool = {.name = "tool",
                        .line = "shows things",
                        .operands = "[X...]",
                        .description = ".First line.\n\nSecond paragraph.",
                        .json_text = "An object.",
                        .groups = kGroups,
                        .exits = kExits,
                        .sections = kSections,
                        .see_also = kSeeAlso};

TEST(Paragraphs, AreDividedByEmptyLinesAndKeepExamples) {
  EXPECT_THAT(Paragraphs("one\ntwo\n\nthree\n  x\n  y\nfour"),
              ElementsAre("one\ntwo", "three", "  x", "  y", "four"));
  EXPECT_TRUE(Paragraphs("").empty());
}

TEST(Filled, BreaksBetweenWordsAndIndents) {
  EXPECT_EQ(Filled("aa bb cc", 2, 0, 5), "aa bb\n  cc");
  EXPECT_EQ(Filled("  aa\n bb ", 0, 0, 80), "aa bb");
  EXPECT_EQ(Filled("toolongforit b", 0, 0, 5), "toolongforit\nb");
}

TEST(HelpText, HasUsageOptionsSectionsAndExitCodes) {
  const std::string help = HelpText(kTool);
  EXPECT_THAT(help, HasSubstr("Usage: tool [OPTION...] [X...]\n\ntool: shows things.\n"));
  EXPECT_THAT(help, HasSubstr("  -e, --event=NAME        Explain - .not a macro.\n"));
  EXPECT_THAT(help, HasSubstr("      --a-long-word=ARGUMENT-THAT-IS-LONG\n" + std::string(26, ' ') +
                              "Text.\n"));
  EXPECT_THAT(help, HasSubstr("\nExamples:\n  Try:\n"));
  EXPECT_THAT(help, HasSubstr("\n    tool -e 'A'\n    tool \\x\n"));
  EXPECT_THAT(help, HasSubstr("\n  0  fine\n  1  failed\n  2  wrong use\n"));
}

TEST(ManPage, EscapesWhatRoffWouldRead) {
  const std::string page = ManPage(kTool);
  EXPECT_THAT(page, HasSubstr("\n.SH DESCRIPTION\n\\&.First line.\n.PP\nSecond paragraph.\n"));
  EXPECT_THAT(page, HasSubstr("\n\\fB\\-e\\fR, \\fB\\-\\-event\\fR=\\fINAME\\fR\n"));
  EXPECT_THAT(page, HasSubstr("  tool \\ex\n"));
  EXPECT_THAT(page, Not(HasSubstr("\n.First")));
  EXPECT_THAT(page, HasSubstr(".BR papi_avail (1) ,\n.BR papi_cost (1)\n"));
}

}  // namespace
}  // namespace csink::utils

#include "compat/utils/options.h"

#include <getopt.h>
#include <gtest/gtest.h>

#include <string>

namespace csink::utils {
namespace {

enum : int { kSde = kFirstWordOption, kQuiet };
constexpr Option kOptions[] = {{'a', "avail", nullptr, "all"},
                               {'d', nullptr, nullptr, "detail"},
                               {'e', nullptr, "EVENT", "event"},
                               {kSde, "sde", "FILE", "file", true},
                               {kQuiet, "quiet", nullptr, "quiet"}};
constexpr OptionGroup kGroups[] = {{"Options", kOptions}};
constexpr Tool kTool = {.name = "tool",
                        .line = "does",
                        .operands = "[NAME...]",
                        .description = "",
                        .json_text = "",
                        .groups = kGroups};
constexpr Tool kBare = {
    .name = "bare", .line = "does", .description = "", .json_text = "", .groups = kGroups};

std::optional<Arguments> Read(const Tool& tool, std::vector<std::string> words) {
  static std::vector<std::string> kept;  // arguments point into it
  kept = std::move(words);
  kept.insert(kept.begin(), "tool");
  static std::vector<char*> argv;
  argv.clear();
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  optind = 0;  // begin anew
  return ReadArguments(tool, static_cast<int>(kept.size()), argv.data());
}

TEST(ReadArguments, TakesBundledLettersAndShortenedWords) {
  const auto read = Read(kTool, {"-ad", "--qui", "-eNAME"});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->Has('a') && read->Has('d') && read->Has(kQuiet));
  EXPECT_STREQ(read->Value('e'), "NAME");
}

TEST(ReadArguments, TheLastValueCounts) {
  const auto read = Read(kTool, {"-e", "one", "-e", "two"});
  ASSERT_TRUE(read);
  EXPECT_STREQ(read->Value('e'), "two");
  EXPECT_EQ(read->given().size(), 2u);
}

TEST(ReadArguments, AWordMayHaveOneDashWhereTheTableSaysSo) {
  const auto read = Read(kTool, {"-sde", "file"});
  ASSERT_TRUE(read);
  EXPECT_STREQ(read->Value(kSde), "file");
  EXPECT_FALSE(Read(kTool, {"-quiet"}));
}

TEST(ReadArguments, OperandsStandAnywhere) {
  const auto read = Read(kTool, {"one", "-a", "two", "--", "-d"});
  ASSERT_TRUE(read);
  ASSERT_EQ(read->operands().size(), 3u);
  EXPECT_STREQ(read->operands()[2], "-d");
  EXPECT_FALSE(read->Has('d'));
}

TEST(ReadArguments, AToolWithoutOperandsRefusesThem) {
  EXPECT_FALSE(Read(kBare, {"one"}));
  EXPECT_TRUE(Read(kBare, {"one", "--help"}));
}

TEST(ReadArguments, EveryToolHasJsonHelpManAndVersion) {
  const auto read = Read(kBare, {"--json", "-h", "--man", "--version"});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->json() && read->Has(kHelpOption) && read->Has(kManOption));
  EXPECT_TRUE(read->Has(kVersionOption));
}

TEST(ReadArguments, ValuesThatAreMissingAreWrongUse) {
  EXPECT_FALSE(Read(kTool, {"-e"}));
  EXPECT_FALSE(Read(kTool, {"--sde"}));
}

}  // namespace
}  // namespace csink::utils

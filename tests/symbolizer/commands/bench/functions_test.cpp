#include "symbolizer/commands/bench/functions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace csink::bench {
namespace {

/// A spends more in Parse, no longer calls Old, and Rest does not differ.
report::Comparison Changed() {
  report::Comparison functions;
  functions.event = "task-clock:u";
  functions.unit = "function";
  functions.between_runs = true;
  functions.tests = 6;
  functions.now.runs = functions.was.runs = 5;
  functions.now.effective_samples = 1200;
  functions.was.effective_samples = 1000;
  report::ChangeRow parse;
  parse.function = "Parse<int, std::vector<char>>(char const*)";
  parse.module = "app";
  parse.share = 0.5;
  parse.was = 0.4;
  parse.change = 0.1;
  parse.ratio = {1.32, 1.7};
  parse.amount = 0.6;
  parse.was_amount = 0.4;
  parse.significant = true;
  parse.adjusted_p_value = 0.004;
  parse.findable = 0.16;
  report::ChangeRow old;
  old.function = "Old|_x";
  old.module = "libold.so";
  old.was = 0.05;
  old.change = -0.05;
  old.ratio = {0, 0.1};
  old.was_amount = 0.05;
  old.significant = true;
  old.adjusted_p_value = 1e-9;
  report::ChangeRow rest;
  rest.function = "Rest";
  rest.module = "app";
  rest.share = 0.5;
  rest.was = 0.55;
  rest.change = -0.05;
  rest.adjusted_p_value = 0.4;
  functions.functions = {parse, old, rest};
  return functions;
}

TEST(FunctionsText, HasTheFunctionsThatDiffer) {
  report::TextStyle style;
  style.width = 140;
  const std::string text = FunctionsText(Changed(), style);
  EXPECT_NE(
      text.find("600 ms  400 ms    +50%  +32% to +70%  0.0040    50.0%    40.0%  Parse<int, "),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("   0 s   50 ms  only B                 <1e-4     none     5.0%  Old|_x"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("libold.so"), std::string::npos) << text;
  EXPECT_EQ(text.find("Rest"), std::string::npos) << text;
}

TEST(FunctionsText, KeepsToTheWidthOfTheScreen) {
  report::TextStyle style;
  style.width = 80;
  const std::string text = FunctionsText(Changed(), style);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 80u) << text;
    at = end + 1;
  }
  style.width = 140;
  style.top = 1;
  EXPECT_EQ(FunctionsText(Changed(), style).find("Old"), std::string::npos);
}

TEST(FunctionsSentence, SaysHowManyDifferAndInHowManyRuns) {
  EXPECT_EQ(FunctionsSentence(Changed()),
            "A spends more in 1 function and less in 1, of 3; 5 profiled runs of each "
            "(task-clock:u, 1,200 and 1,000 effective samples), p corrected for 6 tests; "
            "these 5 + 5 runs would find a change of 16% in Parse<...>(char const*) "
            "(four times of five)");
  report::Comparison same = Changed();
  same.functions = {same.functions[2]};
  EXPECT_EQ(FunctionsSentence(same).find("no function differs beyond the error, of 1; 5"), 0u);
  EXPECT_EQ(FunctionsText(same, {}), "");
  EXPECT_EQ(FunctionsMarkdown(same), "");
  same.event.clear();
  EXPECT_EQ(FunctionsSentence(same), "not compared: A and B sampled different events");
}

TEST(FunctionsMarkdown, IsATableWhoseNamesAreNoMarkup) {
  const std::string text = FunctionsMarkdown(Changed());
  EXPECT_EQ(
      text.find("| A CPU | B CPU | change | 95% interval | p | A share | B share | function | "
                "module |\n|--:|"),
      0u)
      << text;
  EXPECT_NE(text.find("| 0 s | 50 ms | only B |  | <1e-4 | none | 5.0% | Old\\|\\_x | libold.so "
                      "|\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Parse\\<int, "), std::string::npos) << text;
  EXPECT_EQ(text.find("Rest"), std::string::npos) << text;
}

TEST(FunctionsMarkdown, CountsEventsWhereTheEventIsNoClock) {
  report::Comparison functions = Changed();
  functions.is_clock = false;
  functions.functions[0].amount = 12'300'000;
  const std::string text = FunctionsMarkdown(functions);
  EXPECT_NE(text.find("| A events | B events |"), std::string::npos) << text;
  EXPECT_NE(text.find("| 12.3M | "), std::string::npos) << text;
}

TEST(FunctionsJson, HasAllFunctions) {
  const auto json = FunctionsJson(Changed());
  EXPECT_EQ(json["event"], "task-clock:u");
  EXPECT_EQ(json["amount_unit"], "seconds");
  EXPECT_EQ(json["runs"], 5);
  EXPECT_EQ(json["tests"], 6);
  EXPECT_EQ(json["b_effective_samples"], 1000);
  ASSERT_EQ(json["rows"].size(), 3u);
  EXPECT_EQ(json["rows"][0]["a_share"], 0.5);
  EXPECT_EQ(json["rows"][0]["b_amount"], 0.4);
  EXPECT_EQ(json["rows"][0]["p_value"], 0.004);
  EXPECT_NEAR(json["rows"][0]["ratio"], 1.5, 1e-9);
  EXPECT_EQ(json["rows"][0]["findable"], 0.16);
  EXPECT_EQ(json["rows"][0]["differs"], true);
  EXPECT_EQ(json["rows"][1]["a_share"], 0);
  EXPECT_EQ(json["rows"][1]["high"], 0.1);
  EXPECT_TRUE(json["rows"][1]["findable"].is_null());
  EXPECT_EQ(json["rows"][2]["differs"], false);
}

}  // namespace
}  // namespace csink::bench

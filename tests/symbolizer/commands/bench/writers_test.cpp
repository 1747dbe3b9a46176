#include "symbolizer/commands/bench/writers.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace csink::bench {
namespace {

Result Slower() {
  Result result;
  result.a = "./new --fast";
  result.b = "./old `x`";
  result.question.max_slowdown = 0.03;
  result.most_rounds = 40;
  result.outcome.rounds = 15;
  result.outcome.rounds_for_precision = 60;
  result.outcome.change = Change::kSlower;
  result.outcome.limit = Limit::kExceeded;
  result.outcome.metrics = {{Metric::kCpu, 1.08, 1.0, 1.08, {1.05, 1.112}, 0.02}};
  return result;
}

TEST(WriteText, HasRatioAndInterval) {
  const std::string text = WriteText(Slower(), {});
  EXPECT_NE(text.find("1.0800"), std::string::npos) << text;
  EXPECT_NE(text.find("+5.0% to +11.2%"), std::string::npos) << text;
  EXPECT_NE(text.find("A is slower than B"), std::string::npos) << text;
  EXPECT_NE(VerdictText(Slower()).find("more than the allowed 3.0%"), std::string::npos);
}

TEST(WriteText, SaysWhatToDoAboutNoise) {
  Result result = Slower();
  result.question.max_slowdown.reset();
  result.outcome.limit = Limit::kNone;
  result.outcome.change = Change::kUnclear;
  result.outcome.metrics[0].interval = {0.9, 1.3};
  const std::string verdict = VerdictText(result);
  EXPECT_NE(verdict.find("too noisy"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("Run more rounds (-n): about 60"), std::string::npos) << verdict;
  EXPECT_NE(verdict.find("taskset"), std::string::npos) << verdict;
}

TEST(WriteMarkdown, IsATableWithCommandsThatAreNoMarkup) {
  const std::string text = WriteMarkdown(Slower());
  EXPECT_NE(text.find("| CPU time | 1.08 s | 1 s | 1.0800 | +8.0% | +5.0% to +11.2% | 2.0% |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("B: `` ./old `x` ``"), std::string::npos) << text;
}

TEST(WriteJson, HasAllNumbersAndNoInfinity) {
  Result result = Slower();
  result.outcome.metrics[0].interval.high = std::numeric_limits<double>::infinity();
  Round round;
  round.a[static_cast<std::size_t>(Metric::kCpu)] = 1.5;
  result.rounds = {round};
  result.a = "bad \xff byte";
  const auto json = nlohmann::json::parse(WriteJson(result));
  EXPECT_EQ(json["format"], "csink-bench");
  EXPECT_EQ(json["change"], "slower");
  EXPECT_EQ(json["limit"], "exceeded");
  EXPECT_EQ(json["metrics"][0]["metric"], "cpu");
  EXPECT_EQ(json["metrics"][0]["ratio"], 1.08);
  EXPECT_TRUE(json["metrics"][0]["high"].is_null());
  EXPECT_EQ(json["metrics"][0]["a_values"][0], 1.5);
  EXPECT_TRUE(json["failure"].is_null());
}

TEST(Writers, HaveTheFunctionsOrWhyThereAreNone) {
  Result result = Slower();
  EXPECT_EQ(WriteText(result, {}).find("functions"), std::string::npos);
  EXPECT_EQ(WriteMarkdown(result).find("Functions"), std::string::npos);
  result.no_functions = "A (./new|) is statically linked";
  EXPECT_NE(WriteText(result, {}).find("functions not compared: A (./new|) is statically linked"),
            std::string::npos);
  EXPECT_NE(
      WriteMarkdown(result).find("Functions: not compared: A (./new\\|) is statically linked"),
      std::string::npos);
  auto json = nlohmann::json::parse(WriteJson(result));
  EXPECT_TRUE(json["functions"].is_null());
  EXPECT_EQ(json["no_functions"], "A (./new|) is statically linked");

  result.no_functions.clear();
  report::ChangeRow row;
  row.function = "Parse";
  row.share = 0.6;
  row.was = 0.4;
  row.change = 0.2;
  row.amount = 0.6;
  row.was_amount = 0.4;
  row.significant = true;
  result.functions.emplace();
  result.functions->event = "cycles";
  result.functions->functions = {row};
  for (const std::string& text : {WriteText(result, {}), WriteMarkdown(result)}) {
    EXPECT_NE(text.find("A spends more in 1 function and less in 0, of 1"), std::string::npos)
        << text;
    EXPECT_NE(text.find("Parse"), std::string::npos) << text;
  }
  json = nlohmann::json::parse(WriteJson(result));
  EXPECT_EQ(json["functions"]["rows"][0]["function"], "Parse");
  EXPECT_TRUE(json["no_functions"].is_null());
}

TEST(WriteText, KeepsWhatWasMeasuredBeforeAFailure) {
  Result result = Slower();
  result.failure = "A (./new) failed with exit status 7 (in round 18)";
  const std::string text = WriteText(result, {});
  EXPECT_NE(text.find("stopped  A (./new) failed"), std::string::npos) << text;
  EXPECT_NE(text.find("1.0800"), std::string::npos) << text;
  result.outcome = {};
  EXPECT_NE(VerdictText(result).find("so few rounds"), std::string::npos);
}

}  // namespace
}  // namespace csink::bench

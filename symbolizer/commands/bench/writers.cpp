#include "symbolizer/commands/bench/writers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "symbolizer/commands/bench/functions.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writers of a comparison. A ratio is never written without its interval.

namespace csink::bench {
namespace {

using Json = nlohmann::ordered_json;
using report::Count;
using report::FixedText;

/// "CPU time": a metric in sentences and tables.
const char* NameOf(Metric metric) {
  constexpr const char* kNames[kMetricCount] = {"instructions", "CPU time", "wall time",
                                                "page faults", "peak memory"};
  return kNames[static_cast<std::size_t>(metric)];
}

/// A value in the unit of its metric: seconds, bytes or a number of events.
std::string ValueText(Metric metric, double value) {
  switch (metric) {
    case Metric::kCpu:
    case Metric::kWall:
      return report::Duration(value);
    case Metric::kMemory:
      return report::Short(value) + "B";
    default:
      return report::Short(value);
  }
}

/// A ratio as a change: "+3.1%".
std::string ChangeText(double ratio) {
  // The interval of too few rounds has no upper end.
  if (std::isinf(ratio)) return "unlimited";
  const double percent = (ratio - 1) * 100;
  // Two digits where one would hide the change.
  const int decimals = std::fabs(percent) < 1 ? 2 : 1;
  return (percent < 0 ? "-" : "+") + FixedText(std::fabs(percent), decimals) + "%";
}

/// Both ends as changes: "+1.0% to +3.2%".
std::string IntervalText(const Interval& interval) {
  return ChangeText(interval.low) + " to " + ChangeText(interval.high);
}

/// A share in percent. Below 10 % with one digit, because precisions of 0.5 % are asked for.
std::string PercentText(double share) { return FixedText(share * 100, share < 0.1 ? 1 : 0) + "%"; }

/// What helps against noise, with the figures of this machine.
std::string Advice(const Result& result) {
  const Outcome& outcome = result.outcome;
  std::string text = "A / B differs from round to round by " +
                     PercentText(outcome.metrics[0].noise) +
                     " (standard deviation), load average " + FixedText(result.load, 1) + " on " +
                     Count(result.processors, "processor", "processors") + ". ";
  // What the precision would cost, so that the user can decide between more rounds and less noise.
  const std::string about = "about " + std::to_string(outcome.rounds_for_precision) +
                            " rounds would give +-" + PercentText(result.question.precision);
  // -n takes no larger number.
  if (outcome.rounds_for_precision > kMostRounds) {
    text += "More rounds alone do not help: " + about + ". So ";
  } else if (outcome.rounds_for_precision > outcome.rounds) {
    text += "Run more rounds (-n): " + about + ". Or ";
  } else {
    text += "Run more rounds (-n). Or ";
  }
  return text +
         "reduce the noise: stop other programs, make the runs longer, bind them to one processor "
         "(taskset -c 1 csink bench ...), fix the clock frequency (cpupower frequency-set -g "
         "performance)";
}

/// The words for the change of the metric that decides.
std::string ChangeWords(const Result& result) {
  const Measured& first = result.outcome.metrics[0];
  const std::string numbers = std::string(" (") + NameOf(first.metric) + " " +
                              ChangeText(first.ratio) + ", 95% interval " +
                              IntervalText(first.interval) + ")";
  switch (result.outcome.change) {
    case Change::kSlower:
      return "A is slower than B" + numbers;
    case Change::kFaster:
      return "A is faster than B" + numbers;
    case Change::kSame:
      return "no difference was found" + numbers;
    case Change::kUnclear:
      // The limit was asked for, and is answered.
      if (result.outcome.limit == Limit::kKept) return "no difference was found" + numbers;
      break;
  }
  return "cannot tell whether A and B differ" + numbers;
}

/// The answer to --max-slowdown as the end of a sentence. "": it was not asked.
std::string LimitWords(const Result& result) {
  if (result.outcome.limit == Limit::kNone) return "";
  const std::string limit = PercentText(*result.question.max_slowdown);
  switch (result.outcome.limit) {
    case Limit::kExceeded:
      return "; this is more than the allowed " + limit;
    case Limit::kKept:
      return "; this is within the allowed " + limit;
    default:
      return "; the interval contains the allowed " + limit;
  }
}

/// The words of JSON, in the order of the enumeration.
const char* WordOf(Change change) {
  constexpr const char* kWords[] = {"slower", "faster", "same", "unclear"};
  return kWords[static_cast<std::size_t>(change)];
}

/// null: --max-slowdown was not given.
Json LimitWord(Limit limit) {
  constexpr const char* kWords[] = {"", "kept", "exceeded", "unclear"};
  return limit == Limit::kNone ? Json(nullptr) : Json(kWords[static_cast<std::size_t>(limit)]);
}

/// A number, or null if it is not finite.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// How the result was measured. The warm-up round is in no number.
std::string RoundsText(const Result& result) {
  return Count(result.outcome.rounds, "round", "rounds") + " of at most " +
         std::to_string(result.most_rounds) + ", in random order, after one warm-up round";
}

/// The rows that text and Markdown have.
std::vector<std::vector<std::string>> Rows(const Result& result) {
  std::vector<std::vector<std::string>> rows;
  for (const Measured& one : result.outcome.metrics) {
    rows.push_back({NameOf(one.metric), ValueText(one.metric, one.a), ValueText(one.metric, one.b),
                    FixedText(one.ratio, 4), ChangeText(one.ratio), IntervalText(one.interval),
                    PercentText(one.noise)});
  }
  return rows;
}

constexpr const char* kTitles[] = {"",       "A (median)",   "B (median)", "A / B",
                                   "change", "95% interval", "noise"};

/// What is said about functions in text and Markdown. "": nobody asked for them.
std::string FunctionsWords(const Result& result) {
  if (result.functions) return FunctionsSentence(*result.functions);
  if (result.no_functions.empty()) return "";
  return "not compared: " + report::OneLine(result.no_functions);
}

/// A code span of Markdown: the fence is longer than any run of backticks in the text.
std::string Code(const std::string& text) {
  std::size_t run = 0;
  std::size_t longest = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  // A blank keeps backticks of the text apart from the fence. Markdown removes it again.
  const char* const blank = longest > 0 ? " " : "";
  return fence + blank + text + blank + fence;
}

}  // namespace

std::string VerdictText(const Result& result) {
  const Outcome& outcome = result.outcome;
  if (outcome.metrics.empty()) {
    // Also after a failure: the rounds before it may be too few for a look.
    return result.failure.empty() ? "nothing was measured: a run used too little to be measured"
                                  : "nothing can be said after so few rounds";
  }
  std::string text = ChangeWords(result) + LimitWords(result);
  const bool is_open = result.question.max_slowdown ? outcome.limit == Limit::kUnclear
                                                    : outcome.change == Change::kUnclear;
  // The answer to --max-slowdown may be clear where the sign of the change is not.
  if (is_open) text += ". The machine is too noisy for an answer: " + Advice(result);
  return text;
}

std::string WriteText(const Result& result, const report::TextStyle& style) {
  std::string text = report::Wrapped(style, "A        ", report::OneLine(result.a)) +
                     report::Wrapped(style, "B        ", report::OneLine(result.b)) +
                     report::Wrapped(style, "rounds   ", RoundsText(result)) + "\n";
  // After a failure in the first rounds there is nothing for a table.
  if (!result.outcome.metrics.empty()) {
    report::Table table;
    for (const char* title : kTitles) {
      table.AddColumn(title, *title ? report::Table::Align::kRight : report::Table::Align::kLeft);
    }
    for (auto& row : Rows(result)) table.AddRow(std::move(row));
    text += table.Draw(style, false) + "\n";
  }
  if (result.functions) {
    const std::string changes = FunctionsText(*result.functions, style);
    if (!changes.empty()) text += changes + "\n";
  }
  if (const std::string words = FunctionsWords(result); !words.empty()) {
    text += report::Wrapped(style, "functions ", words);
  }
  if (!result.no_instructions.empty()) {
    text += report::Wrapped(style, "note     ", result.no_instructions);
  }
  if (!result.failure.empty()) {
    text += report::Wrapped(style, "stopped  ", report::OneLine(result.failure));
  }
  return text + report::Wrapped(style, "verdict  ", VerdictText(result));
}

std::string WriteMarkdown(const Result& result) {
  // The verdict stands first: a reader of a pull request may read no more than that.
  std::string text = "**" + VerdictText(result) + "**\n\n";
  if (!result.outcome.metrics.empty()) {
    for (const char* title : kTitles) text += std::string("| ") + title + " ";
    text += "|\n|---|--:|--:|--:|--:|--:|--:|\n";
    for (const auto& row : Rows(result)) {
      for (const std::string& cell : row) text += "| " + cell + " ";
      text += "|\n";
    }
    text += "\n";
  }
  if (const std::string words = FunctionsWords(result); !words.empty()) {
    text += "Functions: " + MarkdownText(words) + "\n\n";
    if (result.functions) {
      const std::string table = FunctionsMarkdown(*result.functions);
      if (!table.empty()) text += table + "\n";
    }
  }
  text += "A: " + Code(report::OneLine(result.a)) + "\n\nB: " + Code(report::OneLine(result.b)) +
          "\n\n" + RoundsText(result) + "\n";
  if (!result.failure.empty()) text += "\nStopped: " + Code(report::OneLine(result.failure)) + "\n";
  return text;
}

std::string WriteJson(const Result& result) {
  const Outcome& outcome = result.outcome;
  Json metrics = Json::array();
  // The deciding metric is the first, as in the text.
  for (const Measured& one : outcome.metrics) {
    const auto i = static_cast<std::size_t>(one.metric);
    Json a = Json::array();
    Json b = Json::array();
    for (const Round& round : result.rounds) {
      // All measured rounds, also those after the last look.
      a.push_back(round.a[i]);
      b.push_back(round.b[i]);
    }
    metrics.push_back({{"metric", bench::WordOf(one.metric)},
                       {"a", one.a},
                       {"b", one.b},
                       {"ratio", one.ratio},
                       {"low", Number(one.interval.low)},
                       {"high", Number(one.interval.high)},
                       {"noise", one.noise},
                       {"a_values", std::move(a)},
                       {"b_values", std::move(b)}});
  }
  const auto& limit = result.question.max_slowdown;
  const Json json = {
      {"format", "csink-bench"},
      {"version", 2},
      {"a", result.a},
      {"b", result.b},
      {"rounds", outcome.rounds},
      {"most_rounds", result.most_rounds},
      {"change", WordOf(outcome.change)},
      {"limit", LimitWord(outcome.limit)},
      {"max_slowdown", limit ? Json(*limit) : Json(nullptr)},
      {"precision", result.question.precision},
      {"rounds_for_precision", outcome.rounds_for_precision},
      {"failure", result.failure.empty() ? Json(nullptr) : Json(result.failure)},
      {"verdict", VerdictText(result)},
      {"metrics", std::move(metrics)},
      {"functions", result.functions ? FunctionsJson(*result.functions) : Json(nullptr)},
      {"no_functions", result.no_functions.empty() ? Json(nullptr) : Json(result.no_functions)}};
  // Commands may contain bytes that are not UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace csink::bench

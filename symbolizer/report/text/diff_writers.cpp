#include "symbolizer/report/text/diff_writers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "symbolizer/report/text/causes_json.h"
#include "symbolizer/report/text/causes_text.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: writes comparisons as text, JSON and CSV. The three have the same numbers; text explains
/// them, and leaves rows out (diff_table.cpp).

namespace csink::report {
namespace {

using Json = nlohmann::ordered_json;

/// One side: its name, command, number of runs and how much was measured.
std::string SideLine(const ComparedSide& side, const Comparison& comparison) {
  std::string text = Printable(side.name);
  if (!side.command.empty()) text += ": " + OneLine(WithBaseName(side.command));
  text += "; " + Count(side.runs, "run", "runs");
  if (!comparison.event.empty()) {
    text += ", " + Grouped(static_cast<std::uint64_t>(side.effective_samples)) +
            (comparison.unit == "wait" ? " effective looks" : " effective samples");
  }
  text += ", CPU time " + Duration(side.cpu_seconds) + (side.runs > 1 ? " a run" : "");
  if (!side.verdict.empty()) text += "; verdict " + Printable(side.verdict);
  return text;
}

/// The change of the whole CPU time, and how certain it is.
std::string TimeLine(const Comparison& comparison) {
  // A JSON report may lack its CPU time.
  if (!comparison.ratio) return "the earlier CPU time is not known";
  const std::string text =
      FixedText(*comparison.ratio, 3) + " times as much CPU time (" + ChangeText(*comparison.ratio);
  // No p-value: it would read as a contradiction of a result that is corrected for many tests.
  if (comparison.ratio_interval) {
    return text + ", 95% interval " + ChangeIntervalText(*comparison.ratio_interval) + ")";
  }
  return text + (comparison.between_runs
                     ? "); no interval: the CPU time of A varies too much"
                     : "); too few runs to estimate the variation between runs");
}

/// Shown instead of the tests.
constexpr char kNotTested[] =
    "none: the variation between runs cannot be estimated from fewer than three runs, and the "
    "interval is only that of the error of sampling. Give three or more runs on each side that "
    "took "
    "turns (--a A1 A2 A3 ... --b B1 B2 B3 ...), or let csink bench run both";

/// Which tests were made, for people who know statistics.
std::string TestWords(const Comparison& comparison) {
  if (!comparison.between_runs) return kNotTested;
  return std::string(comparison.unit == "wait" ? "blocked time"
                     : comparison.is_clock     ? "CPU time"
                                               : "events") +
         " by a moderated quasi-Poisson test, and by Welch's test over the row's own runs: the "
         "larger p is used. p is corrected for " +
         Count(comparison.tests, "test", "tests") +
         " (Holm); a row below 0.05 has t. Shares are not tested";
}

/// A warning if the sides did not take turns; "": they did.
std::string OrderWords(const Comparison& comparison) {
  if (!comparison.between_runs || comparison.order == RunOrder::kMixed) return "";
  if (comparison.order == RunOrder::kUnknown) {
    return "not known whether the runs took turns: a run has no start time";
  }
  const bool is_a = comparison.order == RunOrder::kThenFirst;
  return std::string("all runs of ") + (is_a ? "A" : "B") + " began before the runs of " +
         (is_a ? "B" : "A") +
         ": if the machine became slower or faster between them, that looks like a change of the "
         "program. Let the runs take turns (A B A B)";
}

/// Which programs of different names were compared as one.
std::string ProgramLine(const Comparison& comparison) {
  std::string text;
  for (const ProgramMatch& match : comparison.programs) {
    text += (text.empty() ? "" : "; ") + Printable(match.was) + " (A) and " + Printable(match.now) +
            " (B)";
  }
  return text + " are compared as one program";
}

/// The last line: how many rows changed beyond the error.
std::string Summary(const Comparison& comparison) {
  std::size_t more = 0;
  std::size_t less = 0;
  std::size_t fresh = 0;
  std::size_t gone = 0;
  for (const ChangeRow& row : comparison.functions) {
    if (!row.was) ++fresh;
    if (!row.share) ++gone;
    const int direction = DirectionOf(row);
    if (direction != 0) ++(direction > 0 ? more : less);
  }
  const std::string units = comparison.unit + "s";
  const std::string all =
      Count(comparison.functions.size(), comparison.unit.c_str(), units.c_str());
  const std::string ends = "; " + Grouped(fresh) + " new, " + Grouped(gone) + " gone";
  if (!comparison.between_runs) return "not tested; " + all + ends;
  if (more + less > 0) {
    return Grouped(more) + " grew and " + Grouped(less) + " shrank beyond the error, of " + all +
           ends;
  }
  const auto& whole = comparison.ratio_interval;
  if (whole && comparison.ratio && (whole->low > 1 || whole->high < 1)) {
    return "no one of " + all + " changed beyond the error, though their CPU time together did (" +
           ChangeText(*comparison.ratio) + ")";
  }
  return "no change beyond the error in " + all;
}

/// The tested rows with the largest amounts, at most `most`.
std::vector<const ChangeRow*> LargestTested(const Comparison& comparison, std::size_t most) {
  std::vector<const ChangeRow*> rows;
  for (const ChangeRow& row : comparison.functions) {
    if (row.findable) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ChangeRow* a, const ChangeRow* b) {
    return a->amount + a->was_amount > b->amount + b->was_amount;
  });
  rows.resize(std::min(rows.size(), most));
  return rows;
}

/// The name of a row in a sentence.
std::string NameIn(const ChangeRow& row) {
  return ShortenFunction(Printable(row.function.empty() ? row.module : row.function), 40);
}

/// A relative change without a sign: "24%".
std::string FindableText(double change) {
  return FixedText(change * 100, change < 0.0995 ? 1 : 0) + "%";
}

/// An order name for JSON.
const char* OrderName(RunOrder order) {
  switch (order) {
    case RunOrder::kMixed:
      return "in turns";
    case RunOrder::kThenFirst:
      return "a first";
    case RunOrder::kNowFirst:
      return "b first";
    default:
      return "";
  }
}

/// null where there is no value, so that each key is in every row.
/// JSON has no infinity.
Json Optional(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

/// Amount / earlier amount.
std::optional<double> RatioOf(const ChangeRow& row) {
  if (!(row.was_amount > 0)) return std::nullopt;
  return row.amount / row.was_amount;
}

/// One side, with the keys of docs/diff.md.
Json SideJson(const ComparedSide& side) {
  return {{"name", side.name},
          {"command", side.command},
          {"runs", side.runs},
          {"effective_samples", side.effective_samples},
          {"cpu_seconds", side.cpu_seconds},
          {"amount", side.amount},
          {"verdict", side.verdict}};
}

/// Quotes a field as RFC 4180 requires. Control characters are replaced, because they would break
/// rows.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : Printable(text)) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// A number for CSV as JSON writes it: with all digits and a point in every locale. Empty without a
/// value.
std::string Number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value).dump() : std::string();
}

}  // namespace

int DirectionOf(const ChangeRow& row) {
  if (!row.significant) return 0;
  return row.amount > row.was_amount ? 1 : -1;
}

std::string MarkOf(const ChangeRow& row) { return row.significant ? "t" : ""; }

std::string ChangeText(double ratio) {
  if (ratio >= 10) return std::isfinite(ratio) ? "x" + FixedText(ratio, 0) : "any";
  const double percent = (ratio - 1) * 100;
  const double size = std::fabs(percent);
  // "-0.0%" would be a decrease.
  return (percent <= -0.05 ? "-" : "+") + FixedText(size, size < 9.95 ? 1 : 0) + "%";
}

std::string ChangeIntervalText(const Interval& ratio) {
  return ChangeText(ratio.low) + " to " + ChangeText(ratio.high);
}

std::string FindableWords(const Comparison& comparison) {
  const auto rows = LargestTested(comparison, 3);
  if (rows.empty()) return "";
  std::string text = "these " + std::to_string(comparison.was.runs) + " + " +
                     std::to_string(comparison.now.runs) + " runs would find a change of ";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ";
    text += FindableText(*rows[i]->findable) + " in " + NameIn(*rows[i]);
  }
  text += " (four times of five)";
  const ChangeRow& largest = *rows[0];
  if (largest.findable_short) {
    const std::size_t modifiers = comparison.event.find('@');
    text += "; a period of 0.2 ms (-e " + Printable(comparison.event.substr(0, modifiers)) +
            "@200000): " + FindableText(*largest.findable_short) + " in " + NameIn(largest);
  }
  if (*largest.findable > kUsualChange && largest.runs_for_usual) {
    text += "; " + FindableText(kUsualChange) + " in " + NameIn(largest) + " needs about " +
            Grouped(static_cast<std::uint64_t>(std::ceil(*largest.runs_for_usual))) +
            " runs a side";
  }
  return text;
}

std::vector<DiffLine> DiffLines(const Comparison& comparison) {
  std::vector<DiffLine> lines = {{"A", SideLine(comparison.was, comparison)},
                                 {"B", SideLine(comparison.now, comparison)},
                                 {"B/A", TimeLine(comparison)}};
  if (comparison.event.empty()) {
    lines.push_back({"event", "A and B have no event in common: shares cannot be compared"});
    return lines;
  }
  lines.push_back({"event", Printable(comparison.event)});
  if (!comparison.programs.empty()) lines.push_back({"match", ProgramLine(comparison)});
  if (const std::string order = OrderWords(comparison); !order.empty()) {
    lines.push_back({"order", order});
  }
  lines.push_back({"test", TestWords(comparison)});
  if (const std::string finds = FindableWords(comparison); !finds.empty()) {
    lines.push_back({"finds", finds});
  }
  lines.push_back({"result", Summary(comparison)});
  if (comparison.causes) {
    for (CauseLine& line : CauseLines(*comparison.causes)) {
      lines.push_back({line.label, std::move(line.text)});
    }
  }
  return lines;
}

std::string WriteDiffText(const Comparison& comparison, const TextStyle& style) {
  std::string text;
  bool is_below = false;
  for (const DiffLine& line : DiffLines(comparison)) {
    std::string label = line.label;
    is_below = is_below || label == "result";
    if (label == "result") {
      const std::string changes = DrawChanges(comparison, style, style.top, true);
      text += (changes.empty() ? "" : "\n" + changes) + "\n";
    }
    if (label == "why") text += "\n";
    // The labels of the result and of causes are longer than the others and stand below the table.
    label.resize(is_below ? 8 : 6, ' ');
    text += Wrapped(style, label, line.text);
  }
  return text;
}

std::string WriteDiffJson(const Comparison& comparison) { return WriteDiffJson(comparison, {}); }

std::string WriteDiffJson(const Comparison& comparison, const Json& why) {
  Json programs = Json::array();
  for (const ProgramMatch& match : comparison.programs) {
    programs.push_back({{"a", match.was}, {"b", match.now}});
  }
  Json rows = Json::array();
  for (const ChangeRow& row : comparison.functions) {
    // The keys are those of docs/diff.md.
    rows.push_back({{"function", row.function},
                    {"module", row.module},
                    {"share", Optional(row.share)},
                    {"was", Optional(row.was)},
                    {"change", row.change},
                    {"amount", row.amount},
                    {"was_amount", row.was_amount},
                    {"ratio", Optional(RatioOf(row))},
                    {"ratio_low", Optional(row.ratio.low)},
                    {"ratio_high", Optional(row.ratio.high)},
                    {"p_value", Optional(row.p_value)},
                    {"adjusted_p_value", Optional(row.adjusted_p_value)},
                    {"significant", row.significant},
                    {"findable", Optional(row.findable)},
                    {"moved", row.moved}});
  }
  const auto bound = [&](double Interval::*end) {
    const auto& interval = comparison.ratio_interval;
    return interval ? Optional((*interval).*end) : Json(nullptr);
  };
  Json json = {
      {"format", "csink-diff"},
      {"version", 2},
      {"a", SideJson(comparison.was)},
      {"b", SideJson(comparison.now)},
      {"programs", std::move(programs)},
      {"ratio", Optional(comparison.ratio)},
      {"ratio_low", bound(&Interval::low)},
      {"ratio_high", bound(&Interval::high)},
      {"ratio_at_least", comparison.slowdown ? Json(comparison.slowdown->low) : Json(nullptr)},
      {"cpu_p_value", Optional(comparison.cpu_p_value)},
      {"order", OrderName(comparison.order)},
      {"event", comparison.event},
      {"amount_unit", comparison.is_clock ? "seconds" : "events"},
      {"by", comparison.unit},
      {"test", comparison.between_runs ? "moderated quasi-poisson" : ""},
      {"own_runs_test", comparison.between_runs ? "welch" : ""},
      {"correction", "holm"},
      {"level", 0.05},
      {"tests", comparison.tests},
      {"causes", comparison.causes ? CausesJson(*comparison.causes) : Json(nullptr)},
      {"rows", std::move(rows)}};
  if (!why.empty()) json["why"] = why;
  // Names are bytes of files. JSON has to be UTF-8, so other bytes become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string WriteDiffCsv(const Comparison& comparison) {
  std::string text = comparison.unit +
                     ",module,share_b,share_a,change,amount_b,amount_a,ratio,ratio_low,ratio_high,"
                     "p_value,adjusted_p_value,significant,findable,moved\r\n";
  // The first column is empty for modules; it must not have the name of the second one.
  if (comparison.unit == "module") text.replace(0, 6, "name");
  for (const ChangeRow& row : comparison.functions) {
    text += Quoted(row.function) + "," + Quoted(row.module) + "," + Number(row.share) + "," +
            Number(row.was) + "," + Number(row.change) + "," + Number(row.amount) + "," +
            Number(row.was_amount) + "," + Number(RatioOf(row)) + "," + Number(row.ratio.low) +
            "," + Number(row.ratio.high) + "," + Number(row.p_value) + "," +
            Number(row.adjusted_p_value) + "," + (row.significant ? "1," : "0,") +
            Number(row.findable) + "," + Quoted(row.moved) + "\r\n";
  }
  return text;
}

}  // namespace csink::report

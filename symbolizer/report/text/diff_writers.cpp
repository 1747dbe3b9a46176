#include "symbolizer/report/text/diff_writers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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
  const double change = (*comparison.ratio - 1) * 100;
  std::string text = FixedText(*comparison.ratio, 3) + " times as much (" +
                     (change < 0 ? "-" : "+") + FixedText(std::fabs(change), 1) + "%)";
  if (comparison.cpu_p_value) {
    const double p = *comparison.cpu_p_value;
    return text + (p < 1e-4 ? ", p < 0.0001" : ", p = " + FixedText(p, 4)) +
           " (Welch's test over the runs)";
  }
  return text + "; too few runs to estimate the variation between runs";
}

/// Shown instead of the tests. The necessary number of runs is from the power table in
/// docs/diff.md.
constexpr char kNotTested[] =
    "none: the variation between runs cannot be estimated from fewer than three runs, and +-95% is "
    "only the error of sampling. Give three or more runs on each side (--a A1 A2 ... --b B1 B2 "
    "...): if runs vary by 1% (standard deviation), five runs on each side detect a change of 5%, "
    "ten of 2.5%, twenty of 1.5%";

/// Which tests were made, for people who know statistics.
std::string TestWords(const Comparison& comparison) {
  if (!comparison.between_runs) return kNotTested;
  return "share: two-proportion z test with effective samples; amount: z test of the difference; "
         "and Welch's test over the runs: the larger p is used. p is corrected for " +
         Count(comparison.tests, "test", "tests") +
         " (Holm); below 0.05 a share has *, an amount t";
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

/// The last line: how many rows changed beyond the error. A row whose share did not change counts
/// by its amount.
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
  if (more + less == 0) return "no change beyond the error in " + all;
  return Grouped(more) + " grew and " + Grouped(less) + " shrank beyond the error, of " + all +
         ends;
}

/// null where there is no value, so that each key is in every row.
Json Optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

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
  return value ? Json(*value).dump() : std::string();
}

}  // namespace

int DirectionOf(const ChangeRow& row) {
  if (!row.significant && !row.amount_significant) return 0;
  const double change = row.significant ? row.change : row.amount - row.was_amount;
  return change > 0 ? 1 : -1;
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
  lines.push_back({"test", TestWords(comparison)});
  lines.push_back({"result", Summary(comparison)});
  return lines;
}

std::string WriteDiffText(const Comparison& comparison, const TextStyle& style) {
  std::string text;
  for (const DiffLine& line : DiffLines(comparison)) {
    std::string label = line.label;
    const bool is_result = label == "result";
    if (is_result) {
      const std::string changes = DrawChanges(comparison, style, style.top, true);
      text += (changes.empty() ? "" : "\n" + changes) + "\n";
    }
    // The label of the result is longer than the others and stands below the table.
    label.resize(is_result ? 8 : 6, ' ');
    text += Wrapped(style, label, line.text);
  }
  return text;
}

std::string WriteDiffJson(const Comparison& comparison) {
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
                    {"low", row.low},
                    {"high", row.high},
                    {"amount", row.amount},
                    {"was_amount", row.was_amount},
                    {"p_value", Optional(row.p_value)},
                    {"adjusted_p_value", Optional(row.adjusted_p_value)},
                    {"significant", row.significant},
                    {"amount_p_value", Optional(row.amount_p_value)},
                    {"adjusted_amount_p_value", Optional(row.adjusted_amount_p_value)},
                    {"amount_significant", row.amount_significant},
                    {"moved", row.moved}});
  }
  const Json json = {{"format", "csink-diff"},
                     {"version", 1},
                     {"a", SideJson(comparison.was)},
                     {"b", SideJson(comparison.now)},
                     {"programs", std::move(programs)},
                     {"ratio", Optional(comparison.ratio)},
                     {"cpu_p_value", Optional(comparison.cpu_p_value)},
                     {"event", comparison.event},
                     {"amount_unit", comparison.is_clock ? "seconds" : "events"},
                     {"by", comparison.unit},
                     {"share_test", "two-proportion z"},
                     {"amount_test", "z of the difference"},
                     {"between_runs_test", comparison.between_runs ? "welch" : ""},
                     {"correction", "holm"},
                     {"level", 0.05},
                     {"tests", comparison.tests},
                     {"rows", std::move(rows)}};
  // Names are bytes of files. JSON has to be UTF-8, so other bytes become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string WriteDiffCsv(const Comparison& comparison) {
  std::string text = comparison.unit +
                     ",module,share_b,share_a,change,low,high,amount_b,amount_a,p_value,"
                     "adjusted_p_value,amount_p_value,adjusted_amount_p_value,significant,"
                     "amount_significant,moved\r\n";
  // The first column is empty for modules; it must not have the name of the second one.
  if (comparison.unit == "module") text.replace(0, 6, "name");
  for (const ChangeRow& row : comparison.functions) {
    text += Quoted(row.function) + "," + Quoted(row.module) + "," + Number(row.share) + "," +
            Number(row.was) + "," + Number(row.change) + "," + Number(row.low) + "," +
            Number(row.high) + "," + Number(row.amount) + "," + Number(row.was_amount) + "," +
            Number(row.p_value) + "," + Number(row.adjusted_p_value) + "," +
            Number(row.amount_p_value) + "," + Number(row.adjusted_amount_p_value) + "," +
            (row.significant ? "1," : "0,") + (row.amount_significant ? "1," : "0,") +
            Quoted(row.moved) + "\r\n";
  }
  return text;
}

}  // namespace csink::report

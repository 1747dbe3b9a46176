#include "symbolizer/report/html/comparison_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/report/html/json_lists.h"
#include "symbolizer/report/html/page_data.h"
#include "symbolizer/report/html/sample_rows.h"
#include "symbolizer/report/html/sorted_texts.h"
#include "symbolizer/report/text/diff_writers.h"

/// File: writes what `csink diff` found. The page shows these results and computes no test of its
/// own, so its marks are those of the text.

namespace csink::report {
namespace {

/// Writes a number or null.
void WriteOptional(PageJson& json, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) {
    json.Value(*value);
  } else {
    json.Value(nullptr);
  }
}

/// A row of the page.
struct Shown {
  const ChangeRow* row = nullptr;
  /// The two rows that it stands for; nullptr: it is a row of the comparison.
  const RenamedRow* renamed = nullptr;
};

/// The rows that the page has, and where they are among all rows.
struct Kept {
  std::vector<Shown> rows;
  /// By index into Comparison::functions; kAbsent: the row is left out.
  std::vector<std::uint32_t> index;
  std::size_t left_out = 0;
};

/// All rows, the largest change of the amount first. A renamed function is one row.
std::vector<Shown> AllRows(const ComparedPage& page) {
  const auto& functions = page.comparison.functions;
  std::vector<bool> is_joined(functions.size(), false);
  for (const RenamedRow& pair : page.renamed) is_joined[pair.was] = is_joined[pair.now] = true;
  std::vector<Shown> all;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!is_joined[i]) all.push_back({&functions[i], nullptr});
  }
  if (page.renamed.empty()) return all;
  for (const RenamedRow& pair : page.renamed) all.push_back({&pair.joined, &pair});
  // Stable: equal changes keep the order of the comparison.
  std::stable_sort(all.begin(), all.end(), [](const Shown& a, const Shown& b) {
    return std::fabs(a.row->amount - a.row->was_amount) >
           std::fabs(b.row->amount - b.row->was_amount);
  });
  return all;
}

/// The rows with the largest changes, and all that grew or shrank beyond the error.
Kept KeepRows(const ComparedPage& page, std::size_t most) {
  const auto& functions = page.comparison.functions;
  Kept kept;
  kept.index.assign(functions.size(), kAbsent);
  std::size_t place = 0;
  for (const Shown& shown : AllRows(page)) {
    // A row with a mark stays at any place, so that the page shows every significant change.
    if (place++ >= most && DirectionOf(*shown.row) == 0) {
      ++kept.left_out;
      continue;
    }
    const auto at = static_cast<std::uint32_t>(kept.rows.size());
    if (shown.renamed != nullptr) {
      kept.index[shown.renamed->was] = kept.index[shown.renamed->now] = at;
    } else {
      kept.index[static_cast<std::size_t>(shown.row - functions.data())] = at;
    }
    kept.rows.push_back(shown);
  }
  return kept;
}

/// Writes the names and the columns of the rows.
void WriteRows(const ComparedPage& page, const std::vector<Shown>& rows, PageJson& json) {
  // The earlier name; "": the function has one name on both sides.
  const auto earlier = [&](const Shown& shown) -> std::string_view {
    if (shown.renamed == nullptr) return "";
    return page.comparison.functions[shown.renamed->was].function;
  };
  SortedTexts names;
  for (const Shown& shown : rows) {
    names.Add(shown.row->function);
    names.Add(shown.row->module);
    if (shown.renamed != nullptr) names.Add(earlier(shown));
  }
  // Each name once: many rows have the same module.
  names.Finish();
  json.Key("names").List(names.all());
  json.Key("rows").BeginObject();
  WriteNumbers(json, "function", rows, [&](const Shown& s) { return names.Of(s.row->function); });
  WriteNumbers(json, "module", rows, [&](const Shown& s) { return names.Of(s.row->module); });
  // null stands for what is not known or was not tested.
  const auto column = [&](const char* key, const auto& value_of) {
    json.Key(key).List(rows, [&](const Shown& s) { WriteOptional(json, value_of(*s.row)); });
  };
  column("share", [](const ChangeRow& row) { return row.share; });
  column("was", [](const ChangeRow& row) { return row.was; });
  column("change", [](const ChangeRow& row) { return std::optional(row.change); });
  column("amount", [](const ChangeRow& row) { return std::optional(row.amount); });
  column("was_amount", [](const ChangeRow& row) { return std::optional(row.was_amount); });
  column("ratio_low", [](const ChangeRow& row) { return std::optional(row.ratio.low); });
  column("ratio_high", [](const ChangeRow& row) { return std::optional(row.ratio.high); });
  column("p_value", [](const ChangeRow& row) { return row.p_value; });
  column("adjusted_p_value", [](const ChangeRow& row) { return row.adjusted_p_value; });
  column("findable", [](const ChangeRow& row) { return row.findable; });
  column("direction", [](const ChangeRow& row) { return std::optional<double>(DirectionOf(row)); });
  WriteTexts(json, "mark", rows, [](const Shown& s) { return MarkOf(*s.row); });
  WriteTexts(json, "moved", rows, [](const Shown& s) { return s.row->moved; });
  json.EndObject();
  // Few functions are renamed, so they are no columns.
  json.Key("renamed").BeginArray();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].renamed == nullptr) continue;
    json.BeginObject();
    json.Member("row", std::uint64_t{i});
    json.Member("was", std::uint64_t{names.Of(earlier(rows[i]))});
    json.Member("evidence", rows[i].renamed->evidence);
    json.EndObject();
  }
  json.EndArray();
}

/// One side. `profile`: its index among the profiles of the page; kAbsent: it has none.
void WriteSide(const ComparedPage& page, DiffSide which, std::uint32_t profile, const Kept& kept,
               PageJson& json) {
  const bool is_now = which == DiffSide::kNow;
  const ComparedSide& side = is_now ? page.comparison.now : page.comparison.was;
  const Report* report = is_now ? page.now.report : page.was.report;
  json.BeginObject();
  json.Member("name", side.name);
  json.Member("command", side.command);
  json.Member("runs", side.runs);
  WriteOptional(json.Key("effective_samples"), side.effective_samples);
  WriteOptional(json.Key("cpu_seconds"), side.cpu_seconds);
  WriteOptional(json.Key("amount"), side.amount);
  json.Member("verdict", side.verdict);
  // -1: the views of this side say that it has no samples.
  json.Member("profile", profile == kAbsent ? std::int64_t{-1} : std::int64_t{profile});
  static const std::vector<NamedCells> kNoFrames;
  // Frames have other names than rows: clone suffixes, renamed programs. The page cannot match them
  // itself.
  WriteNumbers(json, "frames", report == nullptr ? kNoFrames : report->call_functions,
               [&](const NamedCells& frame) {
                 const auto row = page.rows.Find(frame.function, frame.module, which);
                 return row ? kept.index[*row] : kAbsent;
               });
  json.EndObject();
}

}  // namespace

void WriteComparisonData(const ComparedPage& page, PageJson& json, std::size_t most) {
  const Comparison& comparison = page.comparison;
  const Kept kept = KeepRows(page, most);
  json.BeginObject();
  json.Key("lines").List(DiffLines(comparison), [&](const DiffLine& line) {
    json.BeginArray();
    json.Value(line.label);
    json.Value(line.text);
    json.EndArray();
  });
  json.Member("event", comparison.event);
  json.Member("amount_unit", comparison.is_clock ? "seconds" : "events");
  json.Member("tested", comparison.between_runs);
  json.Member("left_out", kept.left_out);
  WriteOptional(json.Key("ratio"), comparison.ratio);
  const auto& interval = comparison.ratio_interval;
  WriteOptional(json.Key("ratio_low"), interval ? std::optional(interval->low) : std::nullopt);
  WriteOptional(json.Key("ratio_high"), interval ? std::optional(interval->high) : std::nullopt);
  WriteOptional(json.Key("cpu_p_value"), comparison.cpu_p_value);
  json.Key("sides").BeginArray();
  // A side without a profile has no element in "profiles", so that the indices depend on both.
  const std::uint32_t first = page.was.report == nullptr ? kAbsent : 0;
  const std::uint32_t second = page.now.report == nullptr ? kAbsent : first == kAbsent ? 0 : 1;
  WriteSide(page, DiffSide::kThen, first, kept, json);
  WriteSide(page, DiffSide::kNow, second, kept, json);
  json.EndArray();
  WriteRows(page, kept.rows, json);
  json.EndObject();
}

void WriteComparedData(const ComparedPage& page, Sink& sink) {
  PageJson json(sink);
  BeginPageData(json);
  // In the order of the indices that WriteComparisonData gives the sides: A first.
  for (const PageSide* side : {&page.was, &page.now}) {
    if (side->report == nullptr) continue;
    WriteProfile(*side->report, MakeSampleRows(*side->report), side->annotations, json);
  }
  json.EndArray();
  WriteComparisonData(page, json.Key("comparison"));
  json.EndObject();
}

}  // namespace csink::report

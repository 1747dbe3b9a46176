#include "symbolizer/report/html/comparison_data.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
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

/// The rows that the page has, and where they are among all rows.
struct Kept {
  std::vector<const ChangeRow*> rows;
  /// By index into Comparison::functions; kAbsent: the row is left out.
  std::vector<std::uint32_t> index;
};

/// The rows with the largest changes, and all that grew or shrank beyond the error.
Kept KeepRows(const Comparison& comparison, std::size_t most) {
  Kept kept;
  for (const ChangeRow& row : comparison.functions) {
    // The rows are sorted, the largest change first.
    // A row with a mark stays at any place, so that the page shows every significant change.
    const bool is_kept = kept.index.size() < most || DirectionOf(row) != 0;
    kept.index.push_back(is_kept ? static_cast<std::uint32_t>(kept.rows.size()) : kAbsent);
    if (is_kept) kept.rows.push_back(&row);
  }
  return kept;
}

/// Writes the names and the columns of the rows.
void WriteRows(const std::vector<const ChangeRow*>& rows, PageJson& json) {
  SortedTexts names;
  for (const ChangeRow* row : rows) {
    names.Add(row->function);
    names.Add(row->module);
  }
  // Each name once: many rows have the same module.
  names.Finish();
  json.Key("names").List(names.all());
  json.Key("rows").BeginObject();
  WriteNumbers(json, "function", rows, [&](const ChangeRow* r) { return names.Of(r->function); });
  WriteNumbers(json, "module", rows, [&](const ChangeRow* r) { return names.Of(r->module); });
  // null stands for what is not known or was not tested.
  const auto column = [&](const char* key, const auto& value_of) {
    json.Key(key).List(rows, [&](const ChangeRow* row) { WriteOptional(json, value_of(*row)); });
  };
  column("share", [](const ChangeRow& row) { return row.share; });
  column("was", [](const ChangeRow& row) { return row.was; });
  column("change", [](const ChangeRow& row) { return std::optional(row.change); });
  column("low", [](const ChangeRow& row) { return std::optional(row.low); });
  column("high", [](const ChangeRow& row) { return std::optional(row.high); });
  column("amount", [](const ChangeRow& row) { return std::optional(row.amount); });
  column("was_amount", [](const ChangeRow& row) { return std::optional(row.was_amount); });
  column("p_value", [](const ChangeRow& row) { return row.p_value; });
  column("adjusted_p_value", [](const ChangeRow& row) { return row.adjusted_p_value; });
  column("amount_p_value", [](const ChangeRow& row) { return row.amount_p_value; });
  column("adjusted_amount_p_value",
         [](const ChangeRow& row) { return row.adjusted_amount_p_value; });
  column("direction", [](const ChangeRow& row) { return std::optional<double>(DirectionOf(row)); });
  WriteTexts(json, "mark", rows, [](const ChangeRow* row) { return MarkOf(*row); });
  WriteTexts(json, "moved", rows, [](const ChangeRow* row) { return row->moved; });
  json.EndObject();
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
  const Kept kept = KeepRows(comparison, most);
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
  json.Member("left_out", comparison.functions.size() - kept.rows.size());
  WriteOptional(json.Key("ratio"), comparison.ratio);
  WriteOptional(json.Key("cpu_p_value"), comparison.cpu_p_value);
  json.Key("sides").BeginArray();
  // A side without a profile has no element in "profiles", so that the indices depend on both.
  const std::uint32_t first = page.was.report == nullptr ? kAbsent : 0;
  const std::uint32_t second = page.now.report == nullptr ? kAbsent : first == kAbsent ? 0 : 1;
  WriteSide(page, DiffSide::kThen, first, kept, json);
  WriteSide(page, DiffSide::kNow, second, kept, json);
  json.EndArray();
  WriteRows(kept.rows, json);
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

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
void WriteOptional(Sink& sink, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) {
    WriteNumber(sink, *value);
  } else {
    sink << "null";
  }
}

/// Writes a member whose value is a number or null.
void WriteMember(Sink& sink, std::string_view key, const std::optional<double>& value) {
  sink << '"' << key << "\":";
  WriteOptional(sink, value);
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
void WriteRows(const std::vector<const ChangeRow*>& rows, Sink& sink) {
  SortedTexts names;
  for (const ChangeRow* row : rows) {
    names.Add(row->function);
    names.Add(row->module);
  }
  // Each name once: many rows have the same module.
  names.Finish();
  WriteTexts(sink, "names", names.all(), [](std::string_view text) { return text; });
  sink << ",\"rows\":{";
  WriteNumbers(sink, "function", rows, [&](const ChangeRow* r) { return names.Of(r->function); });
  sink << ',';
  WriteNumbers(sink, "module", rows, [&](const ChangeRow* r) { return names.Of(r->module); });
  // null stands for what is not known or was not tested.
  const auto column = [&](const char* key, const auto& value_of) {
    sink << ",\"" << key << "\":";
    WriteList(sink, rows, [&](const ChangeRow* row) { WriteOptional(sink, value_of(*row)); });
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
  sink << ',';
  WriteTexts(sink, "mark", rows, [](const ChangeRow* row) { return MarkOf(*row); });
  sink << ',';
  WriteTexts(sink, "moved", rows, [](const ChangeRow* row) { return row->moved; });
  sink << '}';
}

/// One side. `profile`: its index among the profiles of the page; kAbsent: it has none.
void WriteSide(const ComparedPage& page, DiffSide which, std::uint32_t profile, const Kept& kept,
               Sink& sink) {
  const bool is_now = which == DiffSide::kNow;
  const ComparedSide& side = is_now ? page.comparison.now : page.comparison.was;
  const Report* report = is_now ? page.now.report : page.was.report;
  sink << '{';
  WriteMember(sink, "name", side.name);
  sink << ',';
  WriteMember(sink, "command", side.command);
  sink << ",\"runs\":" << std::uint64_t{side.runs} << ',';
  WriteMember(sink, "effective_samples", side.effective_samples);
  sink << ',';
  WriteMember(sink, "cpu_seconds", side.cpu_seconds);
  sink << ',';
  WriteMember(sink, "amount", side.amount);
  sink << ',';
  WriteMember(sink, "verdict", side.verdict);
  sink << ',';
  // -1: the views of this side say that it has no samples.
  sink << "\"profile\":";
  WriteNumber(sink, profile == kAbsent ? -1.0 : profile);
  sink << ',';
  static const std::vector<NamedCells> kNoFrames;
  // Frames have other names than rows: clone suffixes, renamed programs. The page cannot match them
  // itself.
  WriteNumbers(sink, "frames", report == nullptr ? kNoFrames : report->call_functions,
               [&](const NamedCells& frame) {
                 const auto row = page.rows.Find(frame.function, frame.module, which);
                 return row ? kept.index[*row] : kAbsent;
               });
  sink << '}';
}

}  // namespace

void WriteComparisonData(const ComparedPage& page, Sink& sink, std::size_t most) {
  const Comparison& comparison = page.comparison;
  const Kept kept = KeepRows(comparison, most);
  sink << "{\"lines\":";
  WriteList(sink, DiffLines(comparison), [&](const DiffLine& line) {
    sink << '[';
    WriteJsonString(sink, line.label);
    sink << ',';
    WriteJsonString(sink, line.text);
    sink << ']';
  });
  sink << ',';
  WriteMember(sink, "event", comparison.event);
  sink << ',';
  WriteMember(sink, "amount_unit", std::string(comparison.is_clock ? "seconds" : "events"));
  sink << ",\"tested\":" << (comparison.between_runs ? "true" : "false")
       << ",\"left_out\":" << std::uint64_t{comparison.functions.size() - kept.rows.size()} << ',';
  WriteMember(sink, "ratio", comparison.ratio);
  sink << ',';
  WriteMember(sink, "cpu_p_value", comparison.cpu_p_value);
  sink << ",\"sides\":[";
  // A side without a profile has no element in "profiles", so that the indices depend on both.
  const std::uint32_t first = page.was.report == nullptr ? kAbsent : 0;
  const std::uint32_t second = page.now.report == nullptr ? kAbsent : first == kAbsent ? 0 : 1;
  WriteSide(page, DiffSide::kThen, first, kept, sink);
  sink << ',';
  WriteSide(page, DiffSide::kNow, second, kept, sink);
  sink << "],";
  WriteRows(kept.rows, sink);
  sink << '}';
}

void WriteComparedData(const ComparedPage& page, Sink& sink) {
  sink << kPageDataBegin;
  bool is_first = true;
  // In the order of the indices that WriteComparisonData gives the sides: A first.
  for (const PageSide* side : {&page.was, &page.now}) {
    if (side->report == nullptr) continue;
    if (!is_first) sink << ',';
    is_first = false;
    WriteProfile(*side->report, MakeSampleRows(*side->report), side->annotations, sink);
  }
  sink << "],\"comparison\":";
  WriteComparisonData(page, sink);
  sink << '}';
}

}  // namespace csink::report

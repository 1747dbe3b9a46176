#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: writes a comparison of two groups of runs (docs/diff.md). Text uses A for the earlier and
/// B for the later side.

namespace csink::report {

/// One statement about a comparison.
struct DiffLine {
  /// "A", "B", "B/A", "event", "match", "order", "test", "finds", "result"; and of causes "why",
  /// grades, "none"
  const char* label;
  std::string text;  ///< One line, not wrapped; unprintable bytes are replaced
};
/// What the text says besides its table: the sides, the change of the CPU time, the event, whether
/// the runs did not take turns, which tests were made or why none was, which changes these runs
/// would find, the result, and last why B is slower (CauseLines). Without a common event the last
/// line says so, and there is no test and no result.
std::vector<DiffLine> DiffLines(const Comparison& comparison);
/// "t" for a significant change of the amount; else empty.
std::string MarkOf(const ChangeRow& row);
/// Whether the amount grew (1) or shrank (-1) beyond the error. 0: not significant.
int DirectionOf(const ChangeRow& row);
/// A ratio as a change: "+4.8%", "-31%"; "x12" if it is large, "any" if it has no bound.
std::string ChangeText(double ratio);
/// "+0.3% to +9.5%".
std::string ChangeIntervalText(const Interval& ratio);
/// One sentence: which changes as many runs as these would find in the largest rows, and what a
/// shorter period or more runs would give. "" if nothing was tested.
std::string FindableWords(const Comparison& comparison);

/// The sides, the tests that were made, the table of changes and one line of result.
std::string WriteDiffText(const Comparison& comparison, const TextStyle& style);
/// All rows. The schema is in docs/diff.md. Ends in a newline.
std::string WriteDiffJson(const Comparison& comparison);
/// The same with the key "why" (--why).
std::string WriteDiffJson(const Comparison& comparison, const nlohmann::ordered_json& why);
/// All rows as CSV (RFC 4180) with a header line. The decimal separator is a point; missing values
/// are empty fields.
std::string WriteDiffCsv(const Comparison& comparison);

/// A table of at most `most` rows that changed or are large (style.min_share); "" if there is none.
/// Rows keep the order of the comparison. `with_tests` also shows amounts and p-values. Columns are
/// left out if the table does not fit into style.width.
std::string DrawChanges(const Comparison& comparison, const TextStyle& style, std::size_t most,
                        bool with_tests);

}  // namespace csink::report

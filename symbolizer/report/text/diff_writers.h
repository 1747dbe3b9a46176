#pragma once

#include <string>

#include "symbolizer/report/tables/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: writes a comparison of two groups of runs (docs/diff.md). Text uses A for the earlier and
/// B for the later side.

namespace csink::report {

/// The sides, the tests that were made, the table of changes and one line of result.
std::string WriteDiffText(const Comparison& comparison, const TextStyle& style);
/// All rows. The schema is in docs/diff.md. Ends in a newline.
std::string WriteDiffJson(const Comparison& comparison);
/// All rows as CSV (RFC 4180) with a header line. The decimal separator is a point; missing values
/// are empty fields.
std::string WriteDiffCsv(const Comparison& comparison);

/// A table of at most `most` rows that changed or are large (style.min_share); "" if there is none.
/// Rows keep the order of the comparison. `with_tests` also shows amounts and p-values. Columns are
/// left out if the table does not fit into style.width.
std::string DrawChanges(const Comparison& comparison, const TextStyle& style, std::size_t most,
                        bool with_tests);

}  // namespace csink::report

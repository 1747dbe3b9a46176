#pragma once

#include <string>

#include "symbolizer/report/tables/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: writes a comparison of two groups of runs (docs/diff.md).

namespace csink::report {

std::string WriteDiffText(const Comparison& comparison, const TextStyle& style);
std::string WriteDiffJson(const Comparison& comparison);
/// CSV (RFC 4180) with a header line; the decimal separator is a point.
std::string WriteDiffCsv(const Comparison& comparison);

/// A table of at most `most` rows that changed or are large; "" if there is none. `with_tests`:
/// also amounts and p-values.
std::string DrawChanges(const Comparison& comparison, const TextStyle& style, std::size_t most,
                        bool with_tests);

}  // namespace csink::report

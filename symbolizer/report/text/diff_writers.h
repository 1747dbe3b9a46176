#pragma once

#include <string>

#include "symbolizer/report/tables/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: a comparison of two groups of runs, written down (docs/diff.md).

namespace csink::report {

std::string WriteDiffText(const Comparison& comparison, const TextStyle& style);
std::string WriteDiffJson(const Comparison& comparison);
/// RFC 4180, a header line first; numbers with a point.
std::string WriteDiffCsv(const Comparison& comparison);

/// The rows that are worth showing: those that changed, and the large ones. "" when none is.
/// `with_tests`: also amounts and p-values.
std::string DrawChanges(const Comparison& comparison, const TextStyle& style, std::size_t most,
                        bool with_tests);

}  // namespace csink::report

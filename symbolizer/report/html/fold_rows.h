#pragma once

#include <cstddef>

#include "symbolizer/report/html/sample_rows.h"

/// File: keeps a page small enough for a browser.

namespace csink::report {

/// Folds the coldest rows of the first event until there are at most `most` rows. Three steps, each
/// for the same rows, and each only if the step before was not enough: (1) they lose their line and
/// stack; (2) those of functions without a hot row are counted in one function for each module; (3)
/// they lose their thread and mark. Sums by event, by module and by what was not lost stay the
/// same. If the third step leaves more rows, there are so many modules; they stay. Fills in
/// SampleRows::folded.
void FoldRows(const std::vector<EventTotals>& events, std::size_t most, SampleRows& page);

/// Removes functions, lines and nodes that no row refers to, and renumbers the rest. The order
/// stays. Parents of used nodes are used.
void DropUnused(SampleRows& page);

}  // namespace csink::report

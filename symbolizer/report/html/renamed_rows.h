#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "symbolizer/report/compare/row_keys.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/tables/report.h"

/// File: functions that have another name on the later side, found by their source lines.

namespace csink::report {

/// Two rows of a comparison that are likely one function.
struct RenamedRow {
  std::size_t was = 0;  ///< Index into Comparison::functions: has samples on the earlier side alone
  std::size_t now = 0;  ///< Likewise: on the later side alone
  /// Both as one row, tested with the other rows as if the names were equal.
  ChangeRow joined;
  /// The lines that both have: for people.
  std::string evidence;
};

/// Shares of a function that differ by more than this factor are no evidence of one function.
inline constexpr double kMostShareFactor = 2;

/// Finds pairs of a row that is gone and a new one in the same module whose samples are in source
/// files of the same base name, in ranges of lines that overlap and contain each other's hottest
/// line, with shares within kMostShareFactor. A function with two such partners has none: nothing
/// says which one is right. `rows` was made of the comparison and of these runs; the reports are
/// the sums of the runs of each side.
std::vector<RenamedRow> FindRenamed(const Comparison& comparison, const RowFinder& rows,
                                    const Report& was, const Report& now,
                                    const std::vector<Baseline>& then_runs,
                                    const std::vector<Baseline>& now_runs);

}  // namespace csink::report

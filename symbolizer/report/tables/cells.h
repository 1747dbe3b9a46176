#pragma once

#include <vector>

#include "profil/model/profile.h"
#include "symbolizer/report/tables/report.h"

/// File: arithmetic of the cells of a row, one cell for each event.

namespace csink::report {

/// Adds `counts` to `cells`. Both have one element for each event.
void AddCounts(std::vector<Cell>& cells, const std::vector<EventCount>& counts);

/// Computes shares and intervals from the sums.
void FinishCells(const Report& report, std::vector<Cell>& cells);

/// Computes the interval of a cell of column `event` from its share: the sampling error, plus the
/// part of the events that was not counted (MissingPart).
void FinishInterval(const Report& report, std::size_t event, Cell& cell);

/// AddCounts and FinishCells for a row that has no further counts.
std::vector<Cell> CellsOf(const Report& report, const std::vector<EventCount>& counts);

/// Negative: `a` is heavier and comes first. Compares by the first event that differs; 0: all are
/// equal.
int CompareWeight(const std::vector<Cell>& a, const std::vector<Cell>& b);

}  // namespace csink::report

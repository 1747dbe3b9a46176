#pragma once

#include <vector>

#include "profil/model/profile.h"
#include "symbolizer/report/tables/report.h"

/// File: the arithmetic of a row's cells, one cell an event.

namespace csink::report {

/// Sums `counts` into `cells`, which are as many.
void AddCounts(std::vector<Cell>& cells, const std::vector<EventCount>& counts);

/// Shares and intervals, from the sums.
void FinishCells(const Report& report, std::vector<Cell>& cells);

/// The interval of a cell of column `event`, from its share: of the samples, and of what was not
/// counted (MissingPart).
void FinishInterval(const Report& report, std::size_t event, Cell& cell);

/// AddCounts and FinishCells for a row that is complete with these counts.
std::vector<Cell> CellsOf(const Report& report, const std::vector<EventCount>& counts);

/// < 0: `a` is heavier and stands first; by the first event that differs, 0 when none does.
int CompareWeight(const std::vector<Cell>& a, const std::vector<Cell>& b);

}  // namespace csink::report

#pragma once

#include <span>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/tables/report.h"

/// File: arithmetic of the cells of a row, one cell for each event. A row is first summed up with
/// AddCounts and then finished once with FinishCells; in between, shares and intervals are not
/// valid.

namespace csink::report {

/// Adds `counts` to `cells`. Both have one element for each event. Sums saturate at 2^64 - 1.
void AddCounts(std::vector<Cell>& cells, const std::vector<EventCount>& counts);

/// Computes shares and intervals from the sums. Uses report.profile.events and
/// report.effective_samples, which must exist.
void FinishCells(const Report& report, std::vector<Cell>& cells);

/// Computes the interval of a cell of column `event` from its share: the sampling error, plus the
/// part of the events that was not counted (MissingPart). The cell's share must be set.
void FinishInterval(const Report& report, std::size_t event, Cell& cell);

/// AddCounts and FinishCells for a row that has no further counts.
std::vector<Cell> CellsOf(const Report& report, const std::vector<EventCount>& counts);

/// Orders rows, the heavier one first. Returns a negative number if `a` comes first, a positive one
/// if `b` does. Compares weight, then samples, of the first event that differs; 0 if all are equal.
/// Both must have the same number of cells.
int CompareWeight(std::span<const Cell> a, std::span<const Cell> b);

}  // namespace csink::report

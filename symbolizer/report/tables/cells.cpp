#include "symbolizer/report/tables/cells.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/verdict/explained.h"

namespace csink::report {

void AddCounts(std::vector<Cell>& cells, const std::vector<EventCount>& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) AddTo(cells[i], counts[i]);
}

void FinishCells(const Report& report, std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // Of all samples of the event, also of those that the row does not have.
    const double all = static_cast<double>(report.profile.events[i].weight);
    // Saturated sums may exceed the total.
    cells[i].share = all > 0 ? std::min(1.0, static_cast<double>(cells[i].weight) / all) : 0;
    FinishInterval(report, i, cells[i]);
  }
}

void FinishInterval(const Report& report, std::size_t event, Cell& cell) {
  // The sampling error first; then the part that was not counted is added, which may belong to this
  // row completely or not at all.
  const Interval sampled = WilsonInterval(cell.share, report.effective_samples[event]);
  const Interval interval = WithMissing(sampled, MissingPart(report.profile.events[event]));
  cell.low = interval.low;
  cell.high = interval.high;
}

std::vector<Cell> CellsOf(const Report& report, const std::vector<EventCount>& counts) {
  std::vector<Cell> cells(report.profile.events.size());
  AddCounts(cells, counts);
  FinishCells(report, cells);
  return cells;
}

int CompareWeight(std::span<const Cell> a, std::span<const Cell> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].weight != b[i].weight) return a[i].weight > b[i].weight ? -1 : 1;
    // Samples decide between rows whose weights are equal, for instance saturated.
    if (a[i].samples != b[i].samples) return a[i].samples > b[i].samples ? -1 : 1;
  }
  return 0;
}

}  // namespace csink::report

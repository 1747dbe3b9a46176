#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

/// File: sorting for tables with many large rows.

namespace csink::report {

/// A stable sort that moves each row once: rows are large, and there may be 100,000 of them. So
/// indices are sorted, not rows. `less` compares two rows. Pointers to rows are invalid afterwards.
template <class Row, class Less>
void SortRows(std::vector<Row>& rows, Less less) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return less(rows[a], rows[b]); });
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::uint32_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

}  // namespace csink::report

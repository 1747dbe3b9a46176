#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: a table of rows with the numbers of every event. The least important columns are left out
/// if the table does not fit into the screen's width.

namespace csink::report {

enum class Shortening { kFunction, kHead, kTail };

/// One of three text columns. An empty title means no column.
struct MainLabel {
  std::string title;
  Shortening shortening = Shortening::kHead;
};

struct MainRow {
  const std::vector<Cell>* cells = nullptr;
  std::array<std::string, 3> labels;
  std::string behind = {};  ///< Follows the first label. Never shortened, but left out if too wide
};

struct MainTable {
  std::array<MainLabel, 3> labels;  ///< The first is always shown; the last is left out first
  std::vector<MainRow> rows;        ///< Sorted by weight
  std::string one;                  ///< What a row is, singular: "function"
  std::string many;                 // The same in plural
};

/// At most style.top rows in the order of style.sort, and a last row for the rest. Rows below
/// style.min_share are not shown, but at least five rows are.
std::string DrawMainTable(const Report& report, const TextStyle& style, MainTable table);

}  // namespace csink::report

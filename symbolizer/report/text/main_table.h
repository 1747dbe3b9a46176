#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: a table of rows with the numbers of every event, as wide as the screen: what does not fit
/// is left out, the least important first.

namespace csink::report {

enum class Shortening { kFunction, kHead, kTail };

/// One of three columns of text. An empty title: there is no such column.
struct MainLabel {
  std::string title;
  Shortening shortening = Shortening::kHead;
};

struct MainRow {
  const std::vector<Cell>* cells = nullptr;
  std::array<std::string, 3> labels;
  std::string behind = {};  ///< The first label: never shortened, but left out when too wide
};

struct MainTable {
  std::array<MainLabel, 3> labels;  ///< The first is always shown, the last goes first
  std::vector<MainRow> rows;        ///< Hottest first
  std::string one;                  ///< "function": what a row is
  std::string many;
};

/// At most style.top rows, in the order of style.sort, and a last one for the rest. Rows below
/// style.min_share are not shown, but at least five.
std::string DrawMainTable(const Report& report, const TextStyle& style, MainTable table);

}  // namespace csink::report

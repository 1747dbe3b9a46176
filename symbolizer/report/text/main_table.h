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

/// What is left out of a label that is too wide: the inside of a function's name (ShortenFunction),
/// the end (KeepHead) or the beginning (KeepTail).
enum class Shortening { kFunction, kHead, kTail };

/// One of three text columns. An empty title means no column.
struct MainLabel {
  std::string title;
  Shortening shortening = Shortening::kHead;
};

/// One row: the numbers and at most three texts, which must be printable.
struct MainRow {
  /// One cell for each event; owned by the report.
  const std::vector<Cell>* cells = nullptr;
  /// One for each of MainTable::labels.
  std::array<std::string, 3> labels;
  /// Follows the first label. Never shortened, but left out if too wide. ASCII.
  std::string behind = {};
  /// If most of the samples are in rows that are not shown, their sums by group are listed below
  /// the table. Printable; empty: the row has no group.
  std::string group = {};
};

/// A table before it is laid out.
struct MainTable {
  /// The first is always shown; the last is left out first.
  std::array<MainLabel, 3> labels;
  /// Sorted by weight.
  std::vector<MainRow> rows;
  /// What a row is, singular and plural: "function", "functions". For the row of the rest.
  std::string one;
  std::string many;  // The same in plural
  /// What a group is, and the option that makes it a row: "module", "--by modules".
  std::string group = {};
  std::string group_option = {};
};

/// Draws the table: at most style.top rows in the order of style.sort, and a last row that sums the
/// rest. Rows below style.min_share of every event are not shown, but at least five rows are.
/// Columns that do not fit are left out by importance: amounts, errors of ratios, ratios, errors of
/// shares, then events, whose number is stated below the table.
std::string DrawMainTable(const Report& report, const TextStyle& style, MainTable table);

/// Widest head of an event, in terminal columns.
inline constexpr std::size_t kHeadColumns = 8;

/// One name for each event, at most kHeadColumns columns wide, all different: the name itself if it
/// is short enough; else without PMU and modifiers, with shortened words: "branch-misses:u" ->
/// "br-miss". Equal heads are numbered: "br-miss", "br-mis#2". Names are made printable.
std::vector<std::string> EventHeads(const std::vector<std::string>& names);

}  // namespace csink::report

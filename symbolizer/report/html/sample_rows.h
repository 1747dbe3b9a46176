#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: the samples of a report as rows for the page: one row for each function, line, stack,
/// thread and mark. The page sums them up under the filters that its user sets.

namespace csink::report {

/// An index that means "none" in SampleRow and PageFunction.
inline constexpr std::uint32_t kNone = 0xffffffff;

/// Where samples were taken. Equal rows are one row.
struct SampleRow {
  std::uint32_t function = 0;    ///< Index into SampleRows::functions
  std::uint32_t line = kNone;    ///< Index into SampleRows::lines; kNone: not known, or folded
  std::uint32_t node = 0;        ///< Index into SampleRows::nodes; 0: no stack is known
  std::uint32_t thread = kNone;  ///< Index into Profile::threads; kNone: not known, or folded
  std::uint32_t phase = 0;       ///< Index into Profile::phases; kNone: folded
  bool operator==(const SampleRow&) const = default;
};

/// A function of the page's tables.
struct PageFunction {
  std::uint32_t row = kNone;    ///< Index into Report::functions; kNone: a sum of cold functions
  std::uint32_t module = 0;     ///< Index into SampleRows::modules
  std::uint64_t functions = 1;  ///< Number of functions in the row
};

/// A module: name and path as reports show them. They refer to the report.
struct PageModule {
  std::string_view name;
  std::string_view path;
  bool operator==(const PageModule&) const = default;
};

/// A source line, of the innermost function that was inlined there.
struct PageLine {
  std::string_view file;
  std::uint32_t line = 0;
  std::string_view function;
  std::uint32_t module = 0;  ///< Index into SampleRows::modules
  bool operator==(const PageLine&) const = default;
};

/// A function that was inlined, and the module of the function that contains it.
struct PageInlined {
  std::string_view function;
  std::string_view module;
  bool operator==(const PageInlined&) const = default;
};

/// A node of the tree of call paths.
struct PageNode {
  std::uint32_t parent = 0;
  std::uint32_t frame = kNone;    ///< Index into Report::call_functions; kNone: the root
  bool is_folded = false;         ///< Stands for the stacks of folded rows
  std::uint32_t inlined = kNone;  ///< Index into SampleRows::inlined: inlined in `frame`
};

/// What a fold left out. Sums never change: folded samples are in rows that say less.
struct Folded {
  std::size_t rows = 0;       ///< Rows that were folded; 0: nothing was
  bool stacks = false;        ///< ... lost their line and stack
  std::size_t functions = 0;  ///< Functions that are in a sum of cold functions
  bool threads = false;       ///< ... lost their thread and mark
  std::vector<double> share;  ///< Part of each event's weight that is in folded rows
};

/// The rows, and the tables that they refer to.
/// Owns:    indices alone; texts refer to the report, which must outlive it.
struct SampleRows {
  std::vector<PageModule> modules;
  std::vector<PageFunction> functions;  ///< In the order of Report::functions
  std::vector<PageLine> lines;
  std::vector<PageInlined> inlined;
  std::vector<PageNode> nodes;  ///< Parents come before children; empty without stacks
  std::vector<SampleRow> rows;
  /// One for each row and event: counts[row * events + event].
  std::vector<EventCount> counts;
  Folded folded;
};

/// The largest number of rows that a page has. More are folded.
inline constexpr std::size_t kMostRows = 250'000;

/// Makes the rows. `report` must have been built with BuildOptions::keep_addresses. With more than
/// `most` rows the coldest ones are folded (fold_rows.h). `most` is at least 1.
SampleRows MakeSampleRows(const Report& report, std::size_t most = kMostRows);

}  // namespace csink::report

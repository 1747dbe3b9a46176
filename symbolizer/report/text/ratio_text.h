#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: ratios of two events and shares of slots as text.

namespace csink::report {

/// A ratio and its error, half of its 95 % interval.
struct RatioText {
  std::string value;
  std::string error;
};

/// Both in percent for a share. "-" for a ratio that is not known, or whose error is as large as
/// the ratio; as error also where there is no upper bound.
RatioText TextOf(const DerivedColumn& column, const Ratio& ratio, const Interval& interval);

/// The columns of top-down shares in a table of groups (marks): those of level 1 that add up to all
/// slots. None if the report has no top-down columns, or the table has no room for them.
/// Borrows: the report.
class ShareColumns {
 public:
  /// `room`: terminal columns that the table has for them. Errors are left out before the shares.
  ShareColumns(const Report& report, std::size_t room);

  void AddColumns(Table& table) const;
  /// Adds the cells of a row whose events are `cells`.
  void AddCells(const std::vector<Cell>& cells, std::vector<std::string>& row) const;
  /// Terminal columns that they take.
  std::size_t width() const noexcept;

 private:
  const Report* report_;
  std::vector<std::size_t> columns_;  ///< Indices into Report::derived
  bool errors_ = true;
};

}  // namespace csink::report

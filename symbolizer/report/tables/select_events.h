#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: which columns a report shows, and by which column rows are sorted.

namespace csink::report {

/// The index of the event that `name` means: as it was sampled ("cycles:u") or without modifiers.
/// Returns the number of events if there is none.
std::size_t FindEvent(const Profile& profile, const std::string& name);

/// What is wrong with names of columns, as text for the user; empty: nothing. `sort` may be an
/// event, a derived column by key or title, "name", or empty.
std::string WhatIsWrongWithColumns(const Profile& profile, const std::vector<std::string>& events,
                                   const std::string& sort);

/// Keeps only these events in all rows, in this order; ratios of other events are removed. The
/// verdict remains that of all events. Unknown names are ignored; if all are unknown, nothing
/// changes.
void SelectEvents(Report& report, const std::vector<std::string>& events);

/// The order of rows in a table.
struct RowOrder {
  RowOrder(const Report& report, const std::string& sort);

  bool is_set = false;  ///< False: rows keep their order (by the first event)
  bool Less(const Report& report, const std::vector<Cell>& a, const std::string& a_name,
            const std::vector<Cell>& b, const std::string& b_name) const;

 private:
  std::size_t event_;
  std::size_t derived_;
};

/// Sorts functions, lines, modules and inlined functions, for writers that show all rows.
void SortReport(Report& report, const std::string& sort);

}  // namespace csink::report

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: which columns a report shows, and by which its rows are sorted.

namespace csink::report {

/// The event that `name` means: as it was sampled ("cycles:u"), or without its modifiers. The
/// number of events: none.
std::size_t FindEvent(const Profile& profile, const std::string& name);

/// What is wrong with names of columns, in words for people; empty: nothing. `sort` may be an
/// event, a derived column by its key or title, "name", or empty.
std::string WhatIsWrongWithColumns(const Profile& profile, const std::vector<std::string>& events,
                                   const std::string& sort);

/// Leaves these events alone in all rows, in this order; ratios of others go. The verdict stays
/// that of all. Names that are none are ignored; without one that is, nothing changes.
void SelectEvents(Report& report, const std::vector<std::string>& events);

/// An order of rows.
struct RowOrder {
  RowOrder(const Report& report, const std::string& sort);

  bool is_set = false;  ///< false: as they are, by the first event
  bool Less(const Report& report, const std::vector<Cell>& a, const std::string& a_name,
            const std::vector<Cell>& b, const std::string& b_name) const;

 private:
  std::size_t event_;
  std::size_t derived_;
};

/// Puts functions, lines, modules and inlined functions in an order: for writers that show all.
void SortReport(Report& report, const std::string& sort);

}  // namespace csink::report

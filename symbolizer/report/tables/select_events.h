#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: which columns a report shows, and by which column rows are sorted (--event, --sort). Names
/// of events, keys and titles are compared without regard to case.

namespace csink::report {

/// The index of the event that `name` means: as it was sampled ("cycles:u") or without modifiers
/// ("cycles"). An exact name wins. Returns the number of events if there is none.
std::size_t FindEvent(const Profile& profile, const std::string& name);

/// The names of all events, for error messages: "cycles:u, instructions:u".
std::string EventNames(const Profile& profile);

/// What is wrong with names of columns, as text for the user that lists the valid ones. Empty if
/// nothing is wrong. `sort` may be an event, a derived column by key or title, "name", or empty.
/// A column that `events` leaves out cannot be sorted by.
std::string WhatIsWrongWithColumns(const Profile& profile, const std::vector<std::string>& events,
                                   const std::string& sort);

/// Keeps only these events in all rows, in this order, each once; ratios of other events are
/// removed. Functions, lines, modules and inlined functions are sorted anew, by the first event
/// that remains. The verdict remains that of all events. Unknown names are ignored; if all are
/// unknown, nothing changes.
void SelectEvents(Report& report, const std::vector<std::string>& events);

/// The order of rows in a table. Made once for a table, because finding a column compares texts.
struct RowOrder {
  /// `sort` as for WhatIsWrongWithColumns. A name that is not a column sorts by name.
  RowOrder(const Report& report, const std::string& sort);

  /// False if rows keep their order (by the first event).
  bool is_set = false;
  /// Whether the row with cells `a` comes before the row with cells `b`: the larger value first,
  /// names in rising order. A ratio whose denominator has no samples comes last.
  bool Less(const Report& report, const std::vector<Cell>& a, const std::string& a_name,
            const std::vector<Cell>& b, const std::string& b_name) const;

 private:
  /// Index of the event, or the number of events if `sort` is none.
  std::size_t event_;
  std::size_t derived_;
};

/// Sorts functions, lines, modules and inlined functions, for writers that show all rows (JSON and
/// the formats). Does nothing if `sort` is empty. Threads, processes and marks keep their order.
void SortReport(Report& report, const std::string& sort);

}  // namespace csink::report

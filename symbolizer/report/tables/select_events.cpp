#include "symbolizer/report/tables/select_events.h"

#include <strings.h>

#include <algorithm>

#include "symbolizer/report/data/energy.h"
#include "symbolizer/report/tables/derived.h"
#include "symbolizer/report/tables/parts.h"
#include "symbolizer/report/tables/topdown.h"

/// File: keeps and orders columns. Every vector with one element for each event is rewritten by
/// Pick; a new member of Report or Profile with such a vector must be added to the Pick functions
/// here. Ratios are computed anew, because their columns' indices change.

namespace csink::report {
namespace {

/// Names are equal without regard to case: libpfm4's names are in upper case, perf's in lower case.
bool Same(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

/// "cycles:u" -> "cycles". "pmu::event" is unchanged: its last colon follows another colon.
std::string WithoutModifiers(const std::string& name) {
  const auto colon = name.rfind(':');
  const bool modifiers =
      colon != std::string::npos && colon > 0 && name[colon - 1] != ':' &&
      name.find_first_not_of("ukhpPGH0123456789", colon + 1) == std::string::npos;
  return modifiers ? name.substr(0, colon) : name;
}

/// The index of the ratio with this key or title; the number of ratios if there is none.
std::size_t FindDerived(const std::vector<DerivedColumn>& columns, const std::string& name) {
  std::size_t i = 0;
  while (i < columns.size() && !Same(columns[i].key, name) && !Same(columns[i].title, name)) ++i;
  return i;
}

/// For each new column, the index of the old column.
using Choice = std::vector<std::size_t>;

/// Keeps the chosen columns of one vector. An empty vector has no columns and stays empty.
template <class Column>
void Pick(std::vector<Column>& columns, const Choice& choice) {
  if (columns.empty()) return;
  std::vector<Column> picked;
  for (const std::size_t i : choice) picked.push_back(columns[i]);
  columns = std::move(picked);
}

/// Keeps the chosen columns of all rows of a table.
template <class Rows>
void PickInRows(Rows& rows, const Choice& choice) {
  for (auto& row : rows) Pick(row.events, choice);
}

/// Writers of other formats read the profile itself, so it is changed, too.
void PickInProfile(Profile& profile, const Choice& choice) {
  Pick(profile.events, choice);
  for (Place& place : profile.places) Pick(place.counts, choice);
  for (ProcessRow& process : profile.processes) Pick(process.counts, choice);
  for (ThreadRow& thread : profile.threads) Pick(thread.counts, choice);
}

/// The same for processes, threads, marks and the tree of callers.
void PickInGroups(Report& report, const Choice& choice) {
  PickInRows(report.processes, choice);
  PickInRows(report.threads, choice);
  PickInRows(report.thread_groups, choice);
  PickInRows(report.phases, choice);
  for (ThreadSummary& thread : report.threads) PickInRows(thread.functions, choice);
  for (ThreadGroup& group : report.thread_groups) PickInRows(group.functions, choice);
  for (PhaseSummary& phase : report.phases) PickInRows(phase.functions, choice);
  for (CallNode& node : report.call_tree) {
    Pick(node.self, choice);
    Pick(node.total, choice);
  }
}

}  // namespace

std::size_t FindEvent(const Profile& profile, const std::string& name) {
  const auto& events = profile.events;
  // Two passes: an exact name wins over an earlier event that differs in modifiers alone.
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Same(events[i].name, name)) return i;
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (Same(WithoutModifiers(events[i].name), name)) return i;
  }
  return events.size();
}

std::string EventNames(const Profile& profile) {
  std::string names;
  for (const EventTotals& event : profile.events) {
    names += (names.empty() ? "" : ", ") + event.name;
  }
  return names;
}

std::string WhatIsWrongWithColumns(const Profile& profile, const std::vector<std::string>& events,
                                   const std::string& sort) {
  for (const std::string& event : events) {
    if (FindEvent(profile, event) == profile.events.size()) {
      return "--event " + event + ": not sampled; the events are: " + EventNames(profile);
    }
  }
  // --sort may name columns that --event keeps, and ratios of those, nothing else.
  Profile shown;  // its events alone
  for (const std::string& event : events) {
    shown.events.push_back(profile.events[FindEvent(profile, event)]);
  }
  if (events.empty()) shown.events = profile.events;
  if (sort.empty() || sort == "name" || FindEvent(shown, sort) < shown.events.size()) return "";
  const auto derived = DeriveColumns(shown);
  if (FindDerived(derived, sort) < derived.size()) return "";
  std::string names = EventNames(shown);
  for (const DerivedColumn& column : derived) names += ", " + column.key;
  return "--sort " + sort + ": no such column; the columns are: " + names + ", name";
}

void SelectEvents(Report& report, const std::vector<std::string>& events) {
  Choice choice;
  // A name may be given twice, or two names may mean one event.
  for (const std::string& name : events) {
    const std::size_t i = FindEvent(report.profile, name);
    const bool is_new = std::find(choice.begin(), choice.end(), i) == choice.end();
    if (i < report.profile.events.size() && is_new) choice.push_back(i);
  }
  if (choice.empty()) return;
  PickInProfile(report.profile, choice);
  // The joules of functions follow the shares of an event, which may have moved or be gone.
  if (report.energy) report.energy->event = EnergyEvent(report.profile);
  Pick(report.effective_samples, choice);
  report.derived = DeriveColumns(report.profile);
  for (FunctionRow& row : report.functions) {
    Pick(row.events, choice);
    PickInRows(row.callers, choice);
    row.derived.clear();
    row.derived_intervals.clear();
    Derive(report, row.events, row.derived, row.derived_intervals);
  }
  PickInRows(report.lines, choice);
  PickInRows(report.modules, choice);
  PickInRows(report.inlines, choice);
  for (InlineRow& row : report.inlines) Pick(row.inlined, choice);
  PickInGroups(report, choice);
  Pick(report.ranks.events, choice);
  // The rows were sorted by the first event of the profile, which may be gone.
  SortReport(report, report.profile.events[0].name);
}

// A column that is neither an event nor a ratio sorts by name (Less).
RowOrder::RowOrder(const Report& report, const std::string& sort)
    : is_set(!sort.empty()),
      event_(FindEvent(report.profile, sort)),
      derived_(FindDerived(report.derived, sort)) {}

bool RowOrder::Less(const Report& report, const std::vector<Cell>& a, const std::string& a_name,
                    const std::vector<Cell>& b, const std::string& b_name) const {
  // Weights of all rows are of one event, so that no scale is needed.
  if (event_ < report.profile.events.size()) return a[event_].weight > b[event_].weight;
  if (derived_ == report.derived.size()) return a_name < b_name;
  const DerivedColumn& column = report.derived[derived_];
  const std::optional<TopdownPart> part = PartOf(column);
  const auto ratio = [&](const std::vector<Cell>& cells) {
    if (part) {
      const auto share = TopdownOf(report, cells)[static_cast<std::size_t>(*part)];
      // Below all shares: rows without a share come last.
      return share ? share->share : -1;
    }
    // Scale factors are the same for all rows, so they do not matter for the order.
    const double below = static_cast<double>(cells[column.denominator].weight);
    return below > 0 ? static_cast<double>(cells[column.numerator].weight) / below : -1;
  };
  // The larger first, as for events.
  return ratio(a) > ratio(b);
}

void SortReport(Report& report, const std::string& sort) {
  const RowOrder order(report, sort);
  if (!order.is_set) return;
  const auto by = [&](auto name_of) {
    return [&report, &order, name_of](const auto& a, const auto& b) {
      return order.Less(report, a.events, name_of(a), b.events, name_of(b));
    };
  };
  // Threads, processes and marks keep their order (select_events.h).
  const auto function = [](const auto& row) -> const std::string& { return row.function; };
  SortRows(report.functions, by(function));
  SortRows(report.inlines, by(function));
  SortRows(report.lines, [&](const LineRow& a, const LineRow& b) {
    return order.Less(report, a.events, a.file + ":" + std::to_string(a.line), b.events,
                      b.file + ":" + std::to_string(b.line));
  });
  SortRows(report.modules, by([](const auto& row) -> const std::string& { return row.module; }));
}

}  // namespace csink::report

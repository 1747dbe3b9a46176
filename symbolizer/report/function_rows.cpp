#include "symbolizer/report/function_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "symbolizer/report/cells.h"
#include "symbolizer/report/function_key.h"

namespace csink::report {
namespace {

using symbolizer::Location;

/// A function while it is summed: its row and its lines.
struct Gathering {
  FunctionRow row;
  std::map<std::pair<std::string, std::uint32_t>, std::vector<Cell>> lines;
};

/// A stable sort that moves each row once: they are large, and there may be 100,000.
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

FunctionRow NewRow(const Module& module, const Location& location, std::size_t events) {
  FunctionRow row;
  row.function = location.function.empty() ? DisplayName(module) : location.function;
  row.module = DisplayName(module);
  row.module_path = module.path;
  row.source = location.source;
  row.events.resize(events);
  return row;
}

std::vector<Gathering> GatherFunctions(const Profile& profile, const Names& names,
                                       std::vector<std::uint32_t>& ids) {
  std::vector<Gathering> functions;
  std::unordered_map<FunctionKey, std::uint32_t, FunctionKeyHash> index;
  const std::size_t events = profile.events.size();
  ids.reserve(profile.places.size());
  for (const Place& place : profile.places) {
    const Location& location = names.Of(place.address);
    const Module& module = profile.modules[place.address.module];
    const bool nameless = IsNameless(module, location);
    const bool jit = location.source == symbolizer::NameSource::kPerfMap;
    const auto [it, is_new] = index.emplace(KeyOf(place.address.module, module, location),
                                            static_cast<std::uint32_t>(functions.size()));
    if (is_new) {
      functions.push_back({NewRow(module, location, events), {}});
      functions.back().row.id = it->second;
      if (nameless) functions.back().row.function = kAnonymousCode;
      if (jit) functions.back().row.module = kJitModule;
    }
    ids.push_back(it->second);
    Gathering& function = functions[it->second];
    AddCounts(function.row.events, place.counts);
    if (location.line == 0 || location.file.empty()) continue;
    auto& cells = function.lines[{location.file, location.line}];
    cells.resize(events);
    AddCounts(cells, place.counts);
  }
  return functions;
}

}  // namespace

std::vector<DerivedColumn> DeriveColumns(const Profile& profile) {
  using spool::EventKind;
  const auto find = [&](EventKind kind) {
    std::size_t i = 0;
    while (i < profile.events.size() && profile.events[i].kind != kind) ++i;
    return i;
  };
  const std::size_t none = profile.events.size();
  const std::size_t instructions = find(EventKind::kInstructions);
  std::vector<DerivedColumn> columns;
  const auto add = [&](const char* key, const char* title, std::size_t above, std::size_t below,
                       double scale) {
    if (above != none && below != none) columns.push_back({key, title, above, below, scale});
  };
  add("ipc", "IPC", instructions, find(EventKind::kCycles), 1);
  add("cache_misses_per_1000_instructions", "miss/kinst", find(EventKind::kCacheMisses),
      instructions, 1000);
  add("branch_misses_per_1000_instructions", "brmiss/kinst", find(EventKind::kBranchMisses),
      instructions, 1000);
  return columns;
}

std::vector<std::uint32_t> AddFunctions(Report& report, const Names& names) {
  std::vector<std::uint32_t> ids;
  for (Gathering& function : GatherFunctions(report.profile, names, ids)) {
    const std::vector<Cell>* hottest = nullptr;
    for (auto& [where, cells] : function.lines) {
      if (!hottest || CompareWeight(cells, *hottest) < 0) {
        hottest = &cells;
        function.row.file = where.first;
        function.row.line = where.second;
      }
      FinishCells(report, cells);
      report.lines.push_back(
          {where.first, where.second, function.row.function, function.row.module, cells});
    }
    FinishCells(report, function.row.events);
    for (const DerivedColumn& derived : report.derived) {
      const double above = static_cast<double>(function.row.events[derived.numerator].weight);
      const double below = static_cast<double>(function.row.events[derived.denominator].weight);
      function.row.derived.push_back(below > 0 ? Ratio(above / below * derived.scale)
                                               : std::nullopt);
    }
    report.functions.push_back(std::move(function.row));
  }
  SortRows(report.functions, [](const FunctionRow& a, const FunctionRow& b) {
    if (const int order = CompareWeight(a.events, b.events)) return order < 0;
    return std::tie(a.function, a.module_path) < std::tie(b.function, b.module_path);
  });
  SortRows(report.lines, [](const LineRow& a, const LineRow& b) {
    if (const int order = CompareWeight(a.events, b.events)) return order < 0;
    return std::tie(a.file, a.line, a.function) < std::tie(b.file, b.line, b.function);
  });
  return ids;
}

}  // namespace csink::report

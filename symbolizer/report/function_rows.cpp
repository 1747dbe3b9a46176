#include "symbolizer/report/function_rows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "symbolizer/report/cells.h"

namespace csink::report {
namespace {

using symbolizer::Location;
using symbolizer::NameSource;

constexpr char kAnonymousCode[] = "[code without a file]";

struct FunctionKey {
  std::uint32_t module;
  std::uint64_t vaddr;
  std::string name;
  bool operator==(const FunctionKey&) const = default;
};
struct FunctionKeyHash {
  std::size_t operator()(const FunctionKey& key) const noexcept {
    return std::hash<std::string>()(key.name) ^ (key.vaddr * 0x9e3779b97f4a7c15ull + key.module);
  }
};

/// A function while it is summed: its row and its lines.
struct Gathering {
  FunctionRow row;
  std::map<std::pair<std::string, std::uint32_t>, std::vector<Cell>> lines;
};

FunctionRow NewRow(const Module& module, const Location& location, std::size_t events) {
  FunctionRow row;
  row.function = location.function.empty() ? DisplayName(module) : location.function;
  row.module = DisplayName(module);
  row.module_path = module.path;
  row.source = location.source;
  row.events.resize(events);
  return row;
}

std::vector<Gathering> GatherFunctions(const Profile& profile, const Names& names) {
  std::vector<Gathering> functions;
  std::unordered_map<FunctionKey, std::size_t, FunctionKeyHash> index;
  const std::size_t events = profile.events.size();
  for (const Place& place : profile.places) {
    const Location& location = names.Of(place.address);
    const Module& module = profile.modules[place.address.module];
    FunctionKey key{place.address.module, location.function_vaddr, location.function};
    // A JIT's code has no names and a row for each address would say nothing.
    const bool nameless = module.is_anonymous && location.source == NameSource::kNone;
    if (nameless) key = {kNoModule, 0, kAnonymousCode};
    const auto [it, is_new] = index.emplace(std::move(key), functions.size());
    if (is_new) {
      functions.push_back({NewRow(module, location, events), {}});
      if (nameless) functions.back().row.function = kAnonymousCode;
    }
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

void AddFunctions(Report& report, const Names& names) {
  for (Gathering& function : GatherFunctions(report.profile, names)) {
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
  std::stable_sort(report.functions.begin(), report.functions.end(),
                   [](const FunctionRow& a, const FunctionRow& b) {
                     if (const int order = CompareWeight(a.events, b.events)) return order < 0;
                     return std::tie(a.function, a.module_path) <
                            std::tie(b.function, b.module_path);
                   });
  std::stable_sort(
      report.lines.begin(), report.lines.end(), [](const LineRow& a, const LineRow& b) {
        if (const int order = CompareWeight(a.events, b.events)) return order < 0;
        return std::tie(a.file, a.line, a.function) < std::tie(b.file, b.line, b.function);
      });
}

}  // namespace csink::report

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/data/function_key.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/tables/derived.h"
#include "symbolizer/report/tables/parts.h"
#include "symbolizer/report/wording/library_code.h"

/// File: sums places by function, and within a function by line and inlined function. Lines of all
/// functions are then summed once more by (file, line, function, module), so that a line that was
/// inlined into several functions is one row.

namespace csink::report {
namespace {

using symbolizer::Location;

/// Weight of the first event by position in the program's own code (OwnPosition).
using OwnLines = std::map<Position, std::uint64_t>;

/// The samples of a line, and where it was inlined if it is in library code.
struct LineSum {
  std::vector<Cell> cells = {};
  OwnLines own_lines = {};
};

/// A function's row and lines while they are summed up.
struct Gathering {
  FunctionRow row;
  /// Key: file, line, and the function that was inlined there (or "").
  std::map<std::tuple<std::string, std::uint32_t, std::string>, LineSum> lines;
  OwnLines own_lines;
  std::map<std::string, std::vector<Cell>> native;  ///< By name: FunctionRow::native
};

/// A row without samples, named after the first address of the function that was met. Code without
/// a function is named after its module.
FunctionRow NewRow(const Module& module, const Location& location, std::size_t events) {
  FunctionRow row;
  row.function = location.function.empty() ? DisplayName(module) : location.function;
  row.module = DisplayName(module);
  row.module_path = module.path;
  row.source = location.source;
  row.aliases = location.aliases;
  row.events.resize(events);
  return row;
}

/// Sums all places by function, and within a function by line. `ids` receives the function of each
/// place.
std::vector<Gathering> GatherFunctions(const Profile& profile, const Names& names,
                                       std::vector<std::uint32_t>& ids) {
  std::vector<Gathering> functions;
  std::unordered_map<FunctionKey, std::uint32_t, FunctionKeyHash> index;
  const std::size_t events = profile.events.size();
  ids.reserve(profile.places.size());
  // Places rise by address, so that their locations are found without a search (Names::Of).
  std::size_t hint = 0;
  const Place* before = nullptr;
  const Location* location_before = nullptr;
  for (const Place& place : profile.places) {
    const Location& location = names.Of(place.address, hint);
    const Module& module = profile.modules[place.address.module];
    // Places are sorted by address: the one before is often in the same function, and its key need
    // not be made and searched again.
    const bool is_same = before && before->address.module == place.address.module &&
                         location_before->source == location.source &&
                         location_before->function_vaddr == location.function_vaddr &&
                         location_before->function == location.function;
    before = &place;
    location_before = &location;
    if (is_same) {
      ids.push_back(ids.back());
    } else {
      const bool nameless = IsNameless(module, location);
      const bool jit = location.source == symbolizer::NameSource::kPerfMap;
      const auto [it, is_new] = index.emplace(KeyOf(place.address.module, module, location),
                                              static_cast<std::uint32_t>(functions.size()));
      if (is_new) {
        functions.push_back({NewRow(module, location, events), {}, {}, {}});
        functions.back().row.id = it->second;
        if (nameless) functions.back().row.function = kAnonymousCode;
        if (jit) functions.back().row.module = kJitModule;
      }
      ids.push_back(it->second);
    }
    Gathering& function = functions[ids.back()];
    AddCounts(function.row.events, place.counts);
    if (place.native.module != kNoModule) {
      const std::string& name = names.Of(place.native).function;
      std::vector<Cell>& cells =
          function.native[name.empty() ? DisplayName(profile.modules[place.native.module]) : name];
      cells.resize(events);
      AddCounts(cells, place.counts);
    }
    if (location.line == 0 || location.file.empty()) continue;
    // A line belongs to the innermost function that was inlined at its address; the reader finds
    // that function around the line (docs/design/report.md).
    const std::string inlined = location.inlined.empty() ? "" : location.inlined[0].function;
    LineSum& line = function.lines[{location.file, location.line, inlined}];
    line.cells.resize(events);
    AddCounts(line.cells, place.counts);
    if (auto own = OwnPosition(location); own.second != 0) {
      if (own.first != location.file) line.own_lines[own] += place.counts[0].weight;
      function.own_lines[std::move(own)] += place.counts[0].weight;
    }
  }
  return functions;
}

/// Key: file, line, function that contains the line, module. A line that was inlined into several
/// functions is one row.
using Lines = std::map<std::tuple<std::string, std::uint32_t, std::string, std::string>, LineSum>;

/// Makes the rows of lines from their sums and sorts them.
void AddLines(Report& report, Lines lines) {
  for (auto& [where, sum] : lines) {
    FinishCells(report, sum.cells);
    const auto& [file, line, function, module] = where;
    auto [own_file, own_line] = Heaviest(sum.own_lines);
    report.lines.push_back(
        {file, line, function, module, std::move(sum.cells), std::move(own_file), own_line});
  }
  SortRows(report.lines, [](const LineRow& a, const LineRow& b) {
    if (const int order = CompareWeight(a.events, b.events)) return order < 0;
    return std::tie(a.file, a.line, a.function) < std::tie(b.file, b.line, b.function);
  });
}

}  // namespace

std::vector<std::uint32_t> AddFunctions(Report& report, const Names& names) {
  std::vector<std::uint32_t> ids;
  Lines lines;
  // Lines are merged over functions: a line that was inlined into several functions is one row.
  for (Gathering& function : GatherFunctions(report.profile, names, ids)) {
    const std::vector<Cell>* hottest = nullptr;
    for (auto& [where, sum] : function.lines) {
      const std::vector<Cell>& cells = sum.cells;
      // Of equally hot lines the first in the map's order is kept: by file, then by number.
      if (!hottest || CompareWeight(cells, *hottest) < 0) {
        hottest = &sum.cells;
        function.row.file = std::get<0>(where);
        function.row.line = std::get<1>(where);
      }
      const std::string& inlined = std::get<2>(where);
      auto& line = lines[{std::get<0>(where), std::get<1>(where),
                          inlined.empty() ? function.row.function : inlined, function.row.module}];
      line.cells.resize(cells.size());
      AddCounts(line.cells, std::vector<EventCount>(cells.begin(), cells.end()));
      for (const auto& [own, weight] : sum.own_lines) AddTo(line.own_lines[own], weight);
    }
    if (IsLibraryCode(function.row.file)) {
      std::tie(function.row.own_file, function.row.own_line) = Heaviest(function.own_lines);
    }
    for (auto& [name, cells] : function.native) {
      FinishCells(report, cells);
      function.row.native.push_back({name, "", std::move(cells)});
    }
    SortRows(function.row.native, [](const NamedCells& a, const NamedCells& b) {
      if (const int order = CompareWeight(a.events, b.events)) return order < 0;
      return a.function < b.function;
    });
    FinishCells(report, function.row.events);
    Derive(report, function.row.events, function.row.derived, function.row.derived_intervals);
    report.functions.push_back(std::move(function.row));
  }
  AddLines(report, std::move(lines));
  SortRows(report.functions, [](const FunctionRow& a, const FunctionRow& b) {
    if (const int order = CompareWeight(a.events, b.events)) return order < 0;
    return std::tie(a.function, a.module_path) < std::tie(b.function, b.module_path);
  });
  return ids;
}

}  // namespace csink::report

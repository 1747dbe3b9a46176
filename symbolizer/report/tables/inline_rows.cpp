#include <map>
#include <tuple>
#include <unordered_map>

#include "core/util/hex.h"
#include "symbolizer/report/tables/cells.h"
#include "symbolizer/report/tables/parts.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Function and module. Functions of one name in different files are different rows.
using Key = std::pair<std::string, std::string>;

/// Sums of a function's source code: its row, and the first event's weight by line and by the
/// function that holds an inlined copy.
struct Gathering {
  InlineRow row;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> lines;  // weights
  std::map<std::string, std::uint64_t> holders;
};

/// The entry with the largest weight, of equal ones the first in the map's order; nullptr if the
/// map is empty.
template <class Weights>
const typename Weights::value_type* Heaviest(const Weights& weights) {
  const typename Weights::value_type* heaviest = nullptr;
  for (const auto& entry : weights) {
    if (!heaviest || entry.second > heaviest->second) heaviest = &entry;
  }
  return heaviest;
}

/// Counts a place for the innermost function at its address.
void AddPlace(const Place& place, const symbolizer::Location& location, const FunctionRow& row,
              std::size_t events, std::map<Key, Gathering>& functions) {
  const bool inlined = !location.inlined.empty();
  // Inlined frames are innermost first. By name: copies of a function in several holders are one
  // row.
  const std::string& name = inlined ? location.inlined[0].function : row.function;
  Gathering& gathering = functions[{name, row.module}];
  gathering.row.events.resize(events);
  gathering.row.inlined.resize(events);
  AddCounts(gathering.row.events, place.counts);
  if (inlined) {
    AddCounts(gathering.row.inlined, place.counts);
    // Weights of the first event, by which rows are sorted.
    gathering.holders[row.function] += place.counts[0].weight;
  }
  if (location.line > 0 && !location.file.empty()) {
    gathering.lines[{location.file, location.line}] += place.counts[0].weight;
  }
}

}  // namespace

void AddModules(Report& report) {
  std::map<Key, std::size_t> index;
  std::map<std::string, std::string> build_ids;
  for (const Module& module : report.profile.modules) {
    // Rows have no module index, so the build id is found by path. Of several builds at one path
    // the first one is shown.
    if (!module.build_id.empty()) build_ids.emplace(module.path, ToHex(module.build_id));
  }
  // Summed from the rows of functions and not from places: so modules and functions agree.
  for (const FunctionRow& function : report.functions) {
    const auto [at, is_new] =
        index.emplace(Key{function.module, function.module_path}, report.modules.size());
    if (is_new) {
      report.modules.emplace_back();
      ModuleRow& row = report.modules.back();
      row.module = function.module;
      row.module_path = function.module_path;
      // Functions are sorted by weight, so the first one of a module is its hottest.
      row.function = function.function;
      row.events.resize(report.profile.events.size());
      const auto id = build_ids.find(function.module_path);
      if (id != build_ids.end()) row.build_id = id->second;
    }
    ModuleRow& row = report.modules[at->second];
    ++row.functions;
    AddCounts(row.events, std::vector<EventCount>(function.events.begin(), function.events.end()));
  }
  for (ModuleRow& row : report.modules) FinishCells(report, row.events);
  SortRows(report.modules, [](const ModuleRow& a, const ModuleRow& b) {
    if (const int order = CompareWeight(a.events, b.events)) return order < 0;
    return std::tie(a.module, a.module_path) < std::tie(b.module, b.module_path);
  });
}

void AddInlines(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place) {
  const Profile& profile = report.profile;
  // Rows were sorted after they got their ids.
  std::vector<const FunctionRow*> row_of(report.functions.size());
  for (const FunctionRow& row : report.functions) row_of[row.id] = &row;
  std::map<Key, Gathering> functions;
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    const Place& place = profile.places[i];
    AddPlace(place, names.Of(place.address), *row_of[function_of_place[i]], profile.events.size(),
             functions);
  }
  for (auto& [key, gathering] : functions) {
    InlineRow& row = gathering.row;
    row.function = key.first;
    row.module = key.second;
    if (const auto* line = Heaviest(gathering.lines)) {
      row.file = line->first.first;
      row.line = line->first.second;
    }
    if (const auto* holder = Heaviest(gathering.holders)) row.inlined_in = holder->first;
    FinishCells(report, row.events);
    FinishCells(report, row.inlined);
    report.inlines.push_back(std::move(row));
  }
  SortRows(report.inlines, [](const InlineRow& a, const InlineRow& b) {
    if (const int order = CompareWeight(a.events, b.events)) return order < 0;
    return std::tie(a.function, a.module) < std::tie(b.function, b.module);
  });
}

}  // namespace csink::report

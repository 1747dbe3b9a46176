#include "symbolizer/report/tables/critical.h"

#include <unordered_map>
#include <utility>

namespace csink::report {

CriticalTable CriticalOf(const Report& report, critical::RawLog log) {
  CriticalTable table;
  const critical::CriticalModel model(critical::MakeLog(std::move(log)));
  table.analysis = model.Analyse();
  std::unordered_map<std::uint32_t, const FunctionRow*> functions;
  for (const FunctionRow& row : report.functions) functions.emplace(row.id, &row);
  for (const critical::PlaceShares& shares : table.analysis.places) {
    const auto found = functions.find(shares.place);
    if (found == functions.end()) continue;
    const FunctionRow& row = *found->second;
    const bool is_own = row.own_line != 0;
    table.rows.push_back(
        {row.function, is_own ? row.own_file : row.file, is_own ? row.own_line : row.line, shares});
  }
  return table;
}

}  // namespace csink::report

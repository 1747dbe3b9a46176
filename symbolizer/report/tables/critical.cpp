#include "symbolizer/report/tables/critical.h"

#include <unordered_map>
#include <utility>

#include "symbolizer/report/tables/hottest_line.h"

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
    auto [file, line] = HottestLineOf(row);
    table.rows.push_back({row.function, std::move(file), line, shares});
  }
  return table;
}

}  // namespace csink::report

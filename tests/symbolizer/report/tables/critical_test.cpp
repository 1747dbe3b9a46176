#include "symbolizer/report/tables/critical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// File: names of the places of a critical path.

namespace csink::report {
namespace {

TEST(CriticalTable, HasTheNamesOfItsFunctions) {
  Report report;
  for (const std::uint32_t id : {7u, 3u}) {
    FunctionRow row;
    row.id = id;
    row.function = "f" + std::to_string(id);
    row.file = "h.h";
    row.line = 1;
    report.functions.push_back(row);
  }
  report.functions[0].own_file = "own.cpp";
  report.functions[0].own_line = 5;
  // One thread: 60 ms in function 7, 30 in 3, 10 in one that the report does not have.
  critical::RawLog log;
  log.processes.push_back({1});
  log.threads.push_back({0, 1, 1, 1'000'000'000, 1'100'000'000});
  log.chains = {{7}, {3}, {4}};
  log.period_ns = 1'000'000;
  for (int i = 0; i < 100; ++i) {
    log.samples.push_back({1'000'500'000 + 1'000'000 * i, 0, i < 60 ? 0u : i < 90 ? 1u : 2u});
  }
  const CriticalTable table = CriticalOf(report, log);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].function, "f7");
  EXPECT_EQ(table.rows[0].file, "own.cpp");
  EXPECT_EQ(table.rows[0].line, 5u);
  EXPECT_NEAR(table.rows[0].shares.path, 0.6, 1e-9);
  EXPECT_EQ(table.rows[1].function, "f3");
  EXPECT_EQ(table.rows[1].line, 1u);
  EXPECT_EQ(table.analysis.forecast, critical::Forecast::kMade);
}

}  // namespace
}  // namespace csink::report

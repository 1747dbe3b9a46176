#include "profil/reading/merge/merge_columns.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

/// A header with one event of this name.
spool::Header Named(const std::string& name) {
  testing::SpoolBuilder builder;
  testing::SetText(builder.event(0).name, name);
  builder.event(0).weight_squared = 9;
  builder.event(0).lost_records = 2;
  builder.event(0).due_ns = 5;
  return builder.header();
}

TEST(ColumnTable, LeavesOutEventsBeyondItsLimit) {
  ColumnTable table;
  for (std::size_t i = 0; i < kMaxColumns; ++i) {
    EXPECT_EQ(table.Add(Named("event-" + std::to_string(i)), false), ColumnMap{i});
  }
  EXPECT_EQ(table.Add(Named("one more"), false), ColumnMap{kNoColumn});
  EXPECT_EQ(table.Add(Named("event-3"), false), ColumnMap{3});
  EXPECT_EQ(table.Take().size(), kMaxColumns);
}

TEST(ColumnTable, LeavesOutForOneMarkWhatIsNotDividedByMark) {
  ColumnTable table;
  table.Add(Named("cycles"), true);
  EXPECT_EQ(table[0].lost_records, 2u);
  EXPECT_EQ(table[0].weight_squared, 0);
  EXPECT_EQ(table[0].due_ns, 0u);
  table.Add(Named("cycles"), false);
  EXPECT_EQ(table[0].weight_squared, 9);
  EXPECT_EQ(table[0].due_ns, 5u);
}

TEST(AddCounts, SkipsEventsWithoutAColumnAndCountsWithoutSamples) {
  std::vector<EventCount> counts;
  const spool::Count more[] = {{1, 10}, {2, 20}, {0, 30}};
  AddCounts(counts, {kNoColumn, 1, 2}, more);
  ASSERT_EQ(counts.size(), 2u);  // Column 2 had no samples, so nothing made the vector longer
  EXPECT_EQ(counts[0].samples, 0u);
  EXPECT_EQ(counts[1].weight, 20u);
}

}  // namespace
}  // namespace csink

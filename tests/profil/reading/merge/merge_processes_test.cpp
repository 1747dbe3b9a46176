#include "profil/reading/merge/merge_processes.h"

#include <gtest/gtest.h>

#include <vector>

namespace csink {
namespace {

/// A process that used `user_ns` of CPU time.
ProcessRow Process(std::uint32_t pid, std::uint64_t start_ns, std::uint64_t user_ns) {
  ProcessRow row;
  row.pid = pid;
  row.start_realtime_ns = start_ns;
  row.start_monotonic_ns = start_ns;
  row.user_ns = user_ns;
  return row;
}

TEST(ProcessTable, SumsRowsBeyondItsLimit) {
  ProcessTable table(1);
  EXPECT_EQ(table.Add(Process(1, 10, 100)), 0u);
  EXPECT_EQ(table.Add(Process(2, 30, 200)), 1u);
  EXPECT_EQ(table.Add(Process(3, 20, 300)), 1u);
  ASSERT_EQ(table.rows().size(), 2u);
  EXPECT_EQ(table[1].program, "more processes");
  EXPECT_EQ(table[1].processes, 2u);
  EXPECT_EQ(table[1].user_ns, 500u);
  EXPECT_EQ(table[1].start_monotonic_ns, 20u);
}

TEST(ProcessTable, CountsTheTimeOfAnEarlierImageOnce) {
  ProcessTable table(1);
  ProcessRow later = Process(1, 20, 150);
  later.generation = 1;
  table.Add(later);
  ProcessRow first = Process(1, 10, 100);
  first.end = spool::End::kExec;
  table.Add(first);  // The clock of `later` has this time already
  EXPECT_EQ(table[1].user_ns, 0u);
  EXPECT_EQ(table[1].processes, 1u);
}

TEST(ProcessTable, SortsByStartAndTheSumLast) {
  ProcessTable table(2);
  table.Add(Process(1, 30, 0));
  table.Add(Process(2, 20, 0));
  table.Add(Process(3, 10, 0));
  table.Add(Process(4, 5, 0));
  EXPECT_EQ(table.Sort(), (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(table[0].pid, 2u);
  EXPECT_EQ(table[1].pid, 1u);
  EXPECT_EQ(table[2].processes, 2u);
}

}  // namespace
}  // namespace csink

#include "profil/reading/merge/merge_threads.h"

#include <gtest/gtest.h>

#include <vector>

namespace csink {
namespace {

/// A table with a spool's threads in it needs these three.
struct ThreadTableTest : ::testing::Test {
  ThreadTableTest() { processes.Add(ProcessRow{}); }
  SpoolCode Code() { return SpoolCode(spool, processes, own, modules); }

  spool::Spool spool;
  ProcessTable processes{9};
  SpoolProcesses own;
  ModuleTable modules;
};

TEST_F(ThreadTableTest, SumsRowsBeyondItsLimit) {
  for (std::uint32_t tid = 0; tid < 4; ++tid) {
    spool::Thread thread{.tid = tid, .name = "worker", .cpu_ns = 10};
    thread.wall.threads = 1;
    thread.wall.wait_ns = 7;
    spool.threads.push_back(thread);
  }
  ThreadTable table(2);
  EXPECT_EQ(table.Add(spool, own, Code(), {}, false), (std::vector<std::size_t>{0, 1, 2, 2}));
  const std::vector<ThreadRow> rows = table.Take();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[0].is_merged);  // Thread 0 of a spool
  EXPECT_FALSE(rows[1].is_merged);
  EXPECT_EQ(rows[2].name, "more threads");
  EXPECT_EQ(rows[2].cpu_ns, 20u);
  EXPECT_EQ(rows[1].wall.wait_ns, 7u);
  EXPECT_EQ(rows[2].wall, (WallParts{2, 0, 0, 14, 0}));
}

TEST_F(ThreadTableTest, KeepsTheNumberOfThreadsThatShareARecord) {
  spool.threads.emplace_back();
  spool.threads.push_back({.tid = 5, .name = "worker", .cpu_ns = 10});
  spool.threads.push_back({.tid = 9, .name = "worker", .cpu_ns = 70, .sharing = 7});
  ThreadTable table(3);
  table.Add(spool, own, Code(), {}, false);
  table.Add(spool, own, Code(), {}, false);
  const std::vector<ThreadRow> rows = table.Take();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].threads, 0u) << "threads without a record";
  EXPECT_FALSE(rows[0].IsOfShortThreads());
  EXPECT_EQ(rows[1].threads, 1u);
  EXPECT_FALSE(rows[1].IsOfShortThreads());
  EXPECT_TRUE(rows[2].is_merged);
  EXPECT_TRUE(rows[2].IsOfShortThreads());
  EXPECT_EQ(rows[2].threads, 7u);
  EXPECT_FALSE(rows[3].IsOfShortThreads());
  EXPECT_EQ(rows[3].threads, 8u) << "the second spool's";
}

TEST_F(ThreadTableTest, TakesTheCountsOfAMergedFileUnlessTheyAreForOneMark) {
  spool.header.event_count = 1;
  spool.processes.emplace_back();
  own.records = {0};
  spool.thread_totals.emplace_back();
  spool.thread_totals[0].record.tid = 7;
  spool.thread_totals[0].record.start_region = spool::kNone;
  spool.counts = {{3, 30}};
  ThreadTable table(9);
  // The file has no thread records, so its samples belong to no thread.
  EXPECT_TRUE(table.Add(spool, own, Code(), {0}, false).empty());
  EXPECT_EQ(table[0].counts[0].weight, 30u);
  spool.threads.resize(2);
  EXPECT_EQ(table.Add(spool, own, Code(), {0}, true),
            (std::vector<std::size_t>{ThreadTable::kNobody, 1}));
  EXPECT_TRUE(table[1].counts.empty());
}

TEST_F(ThreadTableTest, KeepsShortThreadsByStartRoutine) {
  spool.regions.push_back({.start = 0x1000, .end = 0x2000, .path = "/bin/a", .build_id = {}});
  spool.routines.push_back(
      {.start_routine = 0x1100, .start_region = 0, .threads = 2, .cpu_ns = 20});
  spool.routines.push_back({});  // An unused slot
  spool.routines.push_back({.start_region = spool::kNone, .threads = 1, .cpu_ns = 5});
  ThreadTable table(9);
  table.AddShort(spool, Code());
  table.AddShort(spool, Code());
  const std::vector<ShortThreads> rows = table.TakeShort();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].start_routine.offset, 0x100u);
  EXPECT_EQ(rows[0].threads, 4u);
  EXPECT_EQ(rows[1].start_routine.module, kNoModule);
  EXPECT_EQ(rows[1].cpu_ns, 10u);
}

}  // namespace
}  // namespace csink

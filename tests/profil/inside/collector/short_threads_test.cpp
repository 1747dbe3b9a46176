#include "profil/inside/collector/short_threads.h"

#include <gtest/gtest.h>

#include <vector>

#include "profil/format/format.h"

namespace csink {
namespace {

std::vector<ShortThreadTable::Routine> All(ShortThreadTable& threads) {
  return {threads.begin(), threads.end()};
}

TEST(ShortThreadTable, SumsThreadsByTheirStartRoutine) {
  ShortThreadTable threads;
  EXPECT_TRUE(threads.empty());
  threads.Add(0x1000, 10);
  threads.Add(0x2000, 5);
  threads.Add(0x1000, 7);
  const auto routines = All(threads);
  ASSERT_EQ(routines.size(), 2u);
  EXPECT_EQ(routines[0].start_routine, 0x1000u);
  EXPECT_EQ(routines[0].threads, 2u);
  EXPECT_EQ(routines[0].cpu_ns, 17u);
  EXPECT_EQ(routines[0].spool_id, spool::kNone);
  EXPECT_EQ(routines[1].threads, 1u);
}

TEST(ShortThreadTable, SharesItsLastEntryWhenItIsFull) {
  ShortThreadTable threads;
  for (std::uint64_t i = 1; i <= ShortThreadTable::kRoutines + 10; ++i) threads.Add(i, 1);
  const auto routines = All(threads);
  ASSERT_EQ(routines.size(), ShortThreadTable::kRoutines);
  EXPECT_EQ(routines[ShortThreadTable::kRoutines - 2].start_routine,
            ShortThreadTable::kRoutines - 1);
  EXPECT_EQ(routines.back().start_routine, 0u);
  EXPECT_EQ(routines.back().threads, 11u);
  EXPECT_EQ(routines.back().cpu_ns, 11u);
}

TEST(ShortThreadTable, IsEmptyAfterClear) {
  ShortThreadTable threads;
  threads.Add(0x1000, 10);
  threads.Clear();
  EXPECT_TRUE(threads.empty());
  threads.Add(0x1000, 1);
  EXPECT_EQ(All(threads)[0].cpu_ns, 1u);
}

}  // namespace
}  // namespace csink

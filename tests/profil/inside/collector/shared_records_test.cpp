#include "profil/inside/collector/shared_records.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

constexpr std::uint64_t kRoutine = 0x1000;

TEST(SharedRecords, AreForThreadsAfterTheFirstOnesOfARoutine) {
  SharedRecords records;
  for (std::uint32_t i = 0; i < SharedRecords::kOwnRecords; ++i) {
    EXPECT_EQ(records.CountEnded(kRoutine), nullptr) << i;
  }
  std::uint32_t* const shared = records.CountEnded(kRoutine);
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(*shared, spool::kNone);
  *shared = 7;
  EXPECT_EQ(records.CountEnded(kRoutine), shared);
  EXPECT_EQ(records.CountEnded(kRoutine + 1), nullptr) << "another routine";
  EXPECT_EQ(*records.CountEnded(kRoutine), 7u);
}

TEST(SharedRecords, AreNotForThreadsOfUnknownRoutines) {
  SharedRecords records;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(records.CountEnded(0), nullptr);
}

TEST(SharedRecords, AreNotForRoutinesBeyondTheTable) {
  SharedRecords records;
  for (std::uint64_t i = 1; i <= SharedRecords::kRoutines; ++i) records.CountEnded(i);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(records.CountEnded(kRoutine), nullptr);
}

TEST(SharedRecords, BeginAnewAfterClear) {
  SharedRecords records;
  for (std::uint32_t i = 0; i < SharedRecords::kOwnRecords; ++i) records.CountEnded(kRoutine);
  *records.CountEnded(kRoutine) = 7;
  records.Clear();
  for (std::uint32_t i = 0; i < SharedRecords::kOwnRecords; ++i) {
    ASSERT_EQ(records.CountEnded(kRoutine), nullptr);
  }
  EXPECT_EQ(*records.CountEnded(kRoutine), spool::kNone);
}

}  // namespace
}  // namespace csink

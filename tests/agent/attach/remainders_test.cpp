#include "agent/attach/remainders.h"

#include <gtest/gtest.h>

namespace csink::attach {
namespace {

BucketSegment::Key At(std::uint64_t pc) { return {0, 0, pc, 0, 0}; }

TEST(Remainders, HaveOneSampleOfEachEvent) {
  SpreadNumbers numbers(1);
  Remainders remainders;
  EXPECT_TRUE(remainders.empty());
  remainders.Offer(4, 0, At(10), numbers);
  remainders.Offer(5, 1, At(20), numbers);
  const auto places = remainders.Take();
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places.at(4).key.pc, 10u);
  EXPECT_EQ(places.at(5).column, 1u);
  EXPECT_TRUE(remainders.empty());
}

// A fixed sequence of numbers: 4,000 choices among four samples, each of which is chosen 1,000
// times on average, with a standard deviation of 27.
TEST(Remainders, ChooseEachSampleEquallyOften) {
  SpreadNumbers numbers(1);
  int chosen[4] = {};
  for (int round = 0; round < 4'000; ++round) {
    Remainders remainders;
    for (std::uint64_t pc = 0; pc < 4; ++pc) remainders.Offer(0, 0, At(pc), numbers);
    ++chosen[remainders.Take().at(0).key.pc];
  }
  for (const int times : chosen) EXPECT_NEAR(times, 1'000, 110);
}

}  // namespace
}  // namespace csink::attach

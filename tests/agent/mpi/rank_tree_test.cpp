#include "agent/mpi/rank_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace csink::mpi {
namespace {

TEST(RankTree, EveryRankButTheRootIsTheChildOfItsParent) {
  for (const std::uint32_t ranks : {1u, 2u, 16u, 17u, 18u, 100u, 10'000u}) {
    std::vector<int> parents(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t children = ChildrenOf(rank, ranks);
      ASSERT_LE(children, kChildren);
      for (std::uint32_t i = 0; i < children; ++i) {
        const auto child = static_cast<std::uint32_t>(FirstChildOf(rank)) + i;
        ASSERT_LT(child, ranks);
        EXPECT_EQ(ParentOf(child), rank);
        ++parents[child];
      }
    }
    EXPECT_EQ(parents[0], 0);
    for (std::uint32_t rank = 1; rank < ranks; ++rank) EXPECT_EQ(parents[rank], 1) << rank;
  }
}

TEST(RankTree, DepthIsLogarithmic) {
  const auto depth = [](std::uint32_t rank) {
    int steps = 0;
    for (; rank != 0; rank = ParentOf(rank)) ++steps;
    return steps;
  };
  EXPECT_EQ(depth(16), 1);
  EXPECT_EQ(depth(17), 2);
  EXPECT_EQ(depth(9'999), 4);
  EXPECT_EQ(depth(1'000'000), 5);
}

TEST(RankTree, NumbersOfTheLargestJobsDoNotWrap) {
  EXPECT_EQ(ChildrenOf(0x7fffffff, 0x7fffffff), 0u);
  EXPECT_EQ(ChildrenOf(0x10000000, 0x7fffffff), 0u);
}

}  // namespace
}  // namespace csink::mpi

#include "profil/format/tree_names.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace csink {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kRealtime = 1'795'942'121 * kSecond + kSecond / 2;
constexpr std::uint64_t kMonotonic = 4501 * kSecond;

TEST(TreeNumber, KnowsTheClocksItWasMadeWith) {
  for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x1234}}) {
    const std::uint64_t tree = TreeNumber(random, kRealtime, kMonotonic);
    EXPECT_NE(tree, 0u);
    EXPECT_TRUE(HasClocksOfTree(tree, kRealtime, kMonotonic));
    // Later, and with readings between which a moment has passed.
    EXPECT_TRUE(HasClocksOfTree(tree, kRealtime + 90 * kSecond, kMonotonic + 90 * kSecond));
    EXPECT_TRUE(HasClocksOfTree(tree, kRealtime + kSecond, kMonotonic));
    EXPECT_TRUE(HasClocksOfTree(tree, kRealtime, kMonotonic + kSecond));
    // In a time namespace, whose clock may also be behind.
    EXPECT_FALSE(HasClocksOfTree(tree, kRealtime, kMonotonic + 5000 * kSecond));
    EXPECT_FALSE(HasClocksOfTree(tree, kRealtime, kMonotonic - 3 * kSecond));
  }
}

TEST(TreeNumber, IsAnotherForEachRandomNumber) {
  EXPECT_NE(TreeNumber(1, kRealtime, kMonotonic), TreeNumber(2, kRealtime, kMonotonic));
}

}  // namespace
}  // namespace csink

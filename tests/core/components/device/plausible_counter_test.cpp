#include "core/components/device/plausible_counter.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr double kMost = 1000;  // a second

TEST(PlausibleCounter, GrowsFromItsFirstValue) {
  PlausibleCounter counter(kMost);
  EXPECT_EQ(counter.Take(5'000'000, kSecond), 5'000'000u);
  EXPECT_EQ(counter.Take(5'000'700, 2 * kSecond), 5'000'700u);
  EXPECT_EQ(counter.Take(5'000'700, 3 * kSecond), 5'000'700u);
}

TEST(PlausibleCounter, AStepBackIsRefusedAndForgottenIfTheNextValueIsGood) {
  PlausibleCounter counter(kMost);
  EXPECT_TRUE(counter.Take(5'000'000, 1 * kSecond));
  EXPECT_FALSE(counter.Take(0, 2 * kSecond));
  EXPECT_EQ(counter.Take(5'000'900, 3 * kSecond), 5'000'900u);
}

TEST(PlausibleCounter, AJumpBeyondTheDevicesPowerIsRefused) {
  PlausibleCounter counter(kMost);
  EXPECT_TRUE(counter.Take(5'000'000, 1 * kSecond));
  EXPECT_FALSE(counter.Take(~std::uint64_t{0}, 2 * kSecond));
  EXPECT_FALSE(counter.Take(6'000'000, 3 * kSecond));
  EXPECT_EQ(counter.Take(5'000'900, 4 * kSecond), 5'000'900u);
}

TEST(PlausibleCounter, ADeviceThatBeganAgainCountsFromItsSecondValue) {
  PlausibleCounter counter(kMost);
  EXPECT_EQ(counter.Take(5'000'000, 1 * kSecond), 5'000'000u);
  EXPECT_FALSE(counter.Take(100, 2 * kSecond));
  EXPECT_EQ(counter.Take(400, 3 * kSecond), 5'000'300u);
  EXPECT_EQ(counter.Take(900, 4 * kSecond), 5'000'800u);
}

TEST(PlausibleCounter, AFirstValueThatWasWrongIsReplaced) {
  PlausibleCounter counter(kMost);
  EXPECT_EQ(counter.Take(1ull << 62, 1 * kSecond), 1ull << 62);
  EXPECT_FALSE(counter.Take(700, 2 * kSecond));
  EXPECT_EQ(counter.Take(1'200, 3 * kSecond), (1ull << 62) + 500);
}

}  // namespace
}  // namespace csink

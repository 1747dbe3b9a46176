#include "core/components/device/wrapping_counter.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kRange = std::uint64_t{1} << 32;

TEST(WrappingCounter, GrowsFromTheFirstRead) {
  WrappingCounter counter(kRange, 1e9);
  EXPECT_EQ(counter.Take(5'000, 1), 0u);
  EXPECT_EQ(counter.Take(5'600, kSecond), 600u);
  EXPECT_EQ(counter.Take(5'600, 2 * kSecond), 600u);
}

TEST(WrappingCounter, GoesOnOverEachWrap) {
  WrappingCounter counter(kRange, 1e9);
  EXPECT_EQ(counter.Take(kRange - 10, 0), 0u);
  EXPECT_EQ(counter.Take(5, kSecond), 15u);
  EXPECT_EQ(counter.Take(kRange - 1, 6 * kSecond), kRange + 9);
  EXPECT_EQ(counter.Take(0, 7 * kSecond), kRange + 10);
}

TEST(WrappingCounter, ItsRangeNeedNotBeAPowerOfTwo) {
  WrappingCounter counter(262'143'328'851, 1e9);  // of a server's package, in µJ
  EXPECT_EQ(counter.Take(262'143'328'850, 0), 0u);
  EXPECT_EQ(counter.Take(0, kSecond), 1u);
}

TEST(WrappingCounter, WhatGoesBackFurtherThanPowerExplainsWasReset) {
  WrappingCounter counter(kRange, 1'000);
  EXPECT_EQ(counter.Take(2'000'000'000, 0), 0u);
  EXPECT_EQ(counter.Take(300, kSecond), 300u) << "what it counted since it was 0";
  EXPECT_EQ(counter.Take(400, 2 * kSecond), 400u);
  EXPECT_EQ(counter.Take(1'000'000'000, 3 * kSecond), 999'999'900u + 100);
  EXPECT_EQ(counter.Take(900'000'000, 4 * kSecond), 1'000'000'000u) << "nothing can explain that";
}

TEST(WrappingCounter, A64BitCounterNeverWraps) {
  WrappingCounter counter(0, 1e9);
  EXPECT_EQ(counter.wrap_ns(), 0u);
  EXPECT_EQ(counter.Take(100, 0), 0u);
  EXPECT_EQ(counter.Take(50, kSecond), 50u);
}

TEST(WrappingCounter, TellsHowSoonItMayWrap) {
  EXPECT_EQ(WrappingCounter(1'000'000, 500'000).wrap_ns(), 2 * kSecond);
  EXPECT_EQ(WrappingCounter(1'000'000, 0).wrap_ns(), 0u);
}

}  // namespace
}  // namespace csink

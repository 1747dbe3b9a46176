#include "compat/atime/phases.h"

#include <gtest/gtest.h>

#include <cmath>

namespace csink::atime {
namespace {

constexpr std::int64_t kS = 1'000'000'000;

/// 10 W, read each second from 0 to 10 s.
EnergyCurve TenWatts() {
  EnergyCurve curve;
  for (int i = 0; i <= 10; ++i) curve.Add(i * kS, 10.0 * i, 0);
  return curve;
}

TEST(PhasesOf, WithoutMarksThereIsNone) { EXPECT_TRUE(PhasesOf({}, {0, 10 * kS}, {}).empty()); }

TEST(PhasesOf, ANameThatComesAgainContinuesItsPhase) {
  const EnergyCurve curve = TenWatts();
  const EnergyCurve* const curves[] = {&curve};
  const PhaseMark marks[] = {{2 * kS, "a"}, {3 * kS, "b"}, {7 * kS, "a"}};
  const auto phases = PhasesOf(marks, {0, 10 * kS}, curves);
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].name, "");
  EXPECT_EQ(phases[0].marks, 0u);
  EXPECT_DOUBLE_EQ(phases[0].energy->joules, 20);
  EXPECT_EQ(phases[1].name, "a");
  EXPECT_EQ(phases[1].marks, 2u);
  EXPECT_DOUBLE_EQ(phases[1].seconds, 4);
  EXPECT_DOUBLE_EQ(phases[1].energy->joules, 40);
  EXPECT_DOUBLE_EQ(phases[1].energy->low, 40) << "the marks are at samples";
  EXPECT_DOUBLE_EQ(phases[2].energy->high, 40);
}

TEST(PhasesOf, MarksOutsideOfTheRunDoNotLengthenIt) {
  const PhaseMark marks[] = {{-5 * kS, "early"}, {12 * kS, "late"}};
  const auto phases = PhasesOf(marks, {0, 10 * kS}, {});
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_DOUBLE_EQ(phases[0].seconds, 0);
  EXPECT_DOUBLE_EQ(phases[1].seconds, 10);
  EXPECT_DOUBLE_EQ(phases[2].seconds, 0);
  EXPECT_FALSE(phases[1].energy);
}

TEST(EnergyCurve, BetweenSamplesTheBoundsAreThoseOfTheSamplesAround) {
  const EnergyCurve curve = TenWatts();
  const BoundedEnergy energy = curve.Between(2 * kS + kS / 2, 5 * kS + kS / 2);
  EXPECT_DOUBLE_EQ(energy.joules, 30);
  EXPECT_DOUBLE_EQ(energy.low, 20);
  EXPECT_DOUBLE_EQ(energy.high, 40);
  const BoundedEnergy within = curve.Between(2 * kS + 1, 3 * kS - 1);
  EXPECT_DOUBLE_EQ(within.low, 0);
  EXPECT_DOUBLE_EQ(within.high, 10);
}

TEST(EnergyCurve, AddsTheErrorsOfTheReadings) {
  EnergyCurve curve;
  for (int i = 0; i <= 4; ++i) curve.Add(i * kS, 10.0 * i, 0.5 * i);
  curve.set_reading_error(3);
  const BoundedEnergy energy = curve.Between(kS, 3 * kS);
  EXPECT_DOUBLE_EQ(energy.joules, 20);
  EXPECT_DOUBLE_EQ(energy.low, 16);
  EXPECT_DOUBLE_EQ(energy.high, 24);
  curve.set_reading_error(INFINITY);
  EXPECT_DOUBLE_EQ(curve.Between(kS, 3 * kS).low, 0);
  EXPECT_TRUE(std::isinf(curve.Between(kS, 3 * kS).high));
}

TEST(EnergyCurve, WhatASampleLacksIsInTheUpperBoundOfItsTime) {
  EnergyCurve curve;
  for (int i = 0; i <= 4; ++i) curve.Add(i * kS, 10.0 * i, 0, i >= 2 ? 7 : 0);
  EXPECT_DOUBLE_EQ(curve.Between(0, kS).high, 10);
  EXPECT_DOUBLE_EQ(curve.Between(kS, 2 * kS).high, 17);
  EXPECT_DOUBLE_EQ(curve.Between(kS, 2 * kS).low, 10);
  EXPECT_DOUBLE_EQ(curve.Between(3 * kS, 4 * kS).high, 10);
}

TEST(EnergyCurve, OutsideOfTheSamplesNoEnergyIsKnown) {
  const EnergyCurve curve = TenWatts();
  EXPECT_DOUBLE_EQ(curve.Between(-5 * kS, kS).joules, 10);
  EXPECT_DOUBLE_EQ(curve.Between(9 * kS, 20 * kS).joules, 10);
  EXPECT_DOUBLE_EQ(curve.Between(12 * kS, 20 * kS).joules, 0);
  EXPECT_DOUBLE_EQ(EnergyCurve().Between(0, kS).joules, 0);
}

}  // namespace
}  // namespace csink::atime

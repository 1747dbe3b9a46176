#include "profil/statistics/energy_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace csink {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A counter as hardware has it: it adds at multiples of `update` (plus `phase`) and shows whole
/// quanta. Written without the code under test.
struct Hardware {
  double watts, update, quantum, phase;
  double At(double time) const {
    const double updated = std::floor((time - phase) / update) * update + phase;
    return std::floor(std::max(updated, 0.0) * watts / quantum) * quantum;
  }
};

TEST(CounterEnergy, ContainsTheTrueEnergyOfEveryPhaseAndLength) {
  std::mt19937 random(20261124);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int run = 0; run < 20'000; ++run) {
    const double update = std::pow(10, -3 + 2 * unit(random));
    const Hardware counter = {1 + 300 * unit(random), update, 6.1e-5, update * unit(random)};
    const double start = 10 + unit(random), length = std::pow(10, -2 + 2.5 * unit(random));
    CounterEnergy energy({counter.quantum, counter.update});
    double before = counter.At(start);
    for (double at = start; at < start + length;) {
      const double next = std::min(at + 0.1, start + length);
      const double now = counter.At(next);
      energy.Add(now - before, next - at, next - at >= 0.05);
      before = now;
      at = next;
    }
    const BoundedEnergy bounds = energy.Bounds();
    EXPECT_LE(bounds.low, counter.watts * length * (1 + 1e-9));
    EXPECT_GE(bounds.high, counter.watts * length * (1 - 1e-9));
  }
}

TEST(CounterEnergy, IsOneUpdateAndOneQuantumWide) {
  CounterEnergy energy({6.1e-5, 1e-3});
  for (int i = 0; i < 10; ++i) energy.Add(5, 0.1, true);  // 50 W
  const BoundedEnergy bounds = energy.Bounds();
  EXPECT_DOUBLE_EQ(bounds.joules, 50);
  // 50.05 W is the highest power that 1 s with one update less can show.
  EXPECT_NEAR(bounds.high - 50, 50.05 * 1e-3 + 6.1e-5, 1e-5);
  EXPECT_NEAR(50 - bounds.low, 50.05 * 1e-3 + 6.1e-5, 1e-5);
}

TEST(CounterEnergy, WhatItMayLackIsInItsUpperBoundAlone) {
  CounterEnergy energy({6.1e-5, 1e-3});
  for (int i = 0; i < 10; ++i) energy.Add(5, 0.1, true);
  const BoundedEnergy before = energy.Bounds();
  energy.set_lacks(26);
  energy.Add(0, 0, false);  // it began anew: no interval
  const BoundedEnergy after = energy.Bounds();
  EXPECT_DOUBLE_EQ(after.joules, before.joules);
  EXPECT_DOUBLE_EQ(after.low, before.low);
  EXPECT_DOUBLE_EQ(after.high, before.high + 26);
  EXPECT_DOUBLE_EQ(energy.seconds(), 1);
}

TEST(CounterEnergy, MeasuresAnUpdatePeriodThatIsLongerThanTheDocumentedOne) {
  CounterEnergy energy({1e-3, 1e-3});
  for (int i = 0; i < 20; ++i) energy.Add(i % 5 == 4 ? 25 : 0, 0.1, true);
  EXPECT_NEAR(energy.UpdateSeconds(), 0.6, 1e-9);  // 0.5 s, in steps of the readings
}

TEST(CounterEnergy, ALateAnswerIsNoStandstill) {
  // As an H100 does: steps of 0.1 s, and no answer for 1.7 s while CUDA starts.
  CounterEnergy energy({1e-3, 0.1});
  for (int i = 0; i < 100; ++i) energy.Add(i % 10 == 9 ? 7 : 0, 0.01, true);
  for (int i = 0; i < 5; ++i) energy.Add(0, 0.01, true);
  energy.Add(120, 1.7, true);
  for (int i = 0; i < 100; ++i) energy.Add(i % 10 == 9 ? 7 : 0, 0.01, true);
  EXPECT_NEAR(energy.UpdateSeconds(), 0.11, 1e-9);
}

// As an H200: steps of 0.1 s, read every 20 ms. A step is in one of five intervals; its power is
// that of all five.
TEST(CounterEnergy, AStepIsNotThePowerOfTheIntervalThatShowsIt) {
  std::mt19937 random(20261127);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int run = 0; run < 1'000; ++run) {
    const Hardware counter = {700, 0.1, 1e-3, 0.1 * unit(random)};
    const double start = 10 + unit(random), length = 0.3 + 5 * unit(random);
    CounterEnergy energy({counter.quantum, counter.update});
    double before = counter.At(start);
    for (double at = start; at < start + length;) {
      const double next = std::min(at + 0.02 + 0.004 * unit(random), start + length);
      energy.Add(counter.At(next) - before, next - at, next - at >= 0.01);
      before = counter.At(next);
      at = next;
    }
    const BoundedEnergy bounds = energy.Bounds();
    EXPECT_LE(bounds.low, 700 * length * (1 + 1e-9));
    EXPECT_GE(bounds.high, 700 * length * (1 - 1e-9));
    EXPECT_LT(bounds.high - bounds.joules, 100) << length;
  }
}

TEST(CounterEnergy, WithoutADocumentedPeriodTheReadingsGiveIt) {
  CounterEnergy energy({1e-6, 0});
  for (int i = 0; i < 10; ++i) energy.Add(1, 0.25, true);
  EXPECT_DOUBLE_EQ(energy.UpdateSeconds(), 0.25);
}

TEST(CounterEnergy, ARunShorterThanAnUpdateHasNoUpperBound) {
  CounterEnergy energy({1e-3, 0.1});
  energy.Add(0.5, 0.02, false);
  EXPECT_EQ(energy.Bounds().low, 0);
  EXPECT_EQ(energy.Bounds().high, kInfinity);
}

TEST(CounterEnergy, ACounterThatStandsStillHasNoUpperBound) {
  CounterEnergy energy({1e-3, 1e-3});
  for (int i = 0; i < 10; ++i) energy.Add(0, 0.1, true);
  EXPECT_EQ(energy.Bounds().joules, 0);
  EXPECT_EQ(energy.Bounds().high, kInfinity);
}

TEST(CounterEnergy, IgnoresWhatIsNoNumber) {
  CounterEnergy energy({1e-3, 1e-3});
  energy.Add(5, 0.1, true);
  energy.Add(NAN, 0.1, true);
  energy.Add(kInfinity, 0.1, true);
  energy.Add(5, 0, true);
  energy.Add(5, -1, true);
  energy.Add(5, NAN, true);
  EXPECT_EQ(energy.intervals(), 1u);
  EXPECT_DOUBLE_EQ(energy.Bounds().joules, 5);
  EXPECT_TRUE(std::isfinite(energy.Bounds().high));
}

TEST(PowerEnergy, ConstantPowerHasTheErrorOfQuantumAndUpdate) {
  PowerEnergy energy({1e-3, 1}, 1);
  for (int i = 0; i < 100; ++i) energy.Add(2.5, 25, 25, 0.1);
  const BoundedEnergy bounds = energy.Bounds();
  EXPECT_NEAR(bounds.joules, 250, 1e-9);
  EXPECT_NEAR(bounds.high - 250, 25 * 1 + 1e-3 * 10, 1e-9);
}

TEST(PowerEnergy, ContainsTheEnergyOfARamp) {
  // From 0 to 100 W in 1 s: 50 J. The power at the end of each interval gives more.
  PowerEnergy right({1e-3, 0.01}, 1), trapezoid({1e-3, 0.01}, 0.5);
  for (int i = 0; i < 10; ++i) {
    const double before = 10 * i, now = 10 * (i + 1);
    right.Add(now * 0.1, before, now, 0.1);
    trapezoid.Add((before + now) / 2 * 0.1, before, now, 0.1);
  }
  EXPECT_NEAR(right.Bounds().joules, 55, 1e-9);
  EXPECT_LE(right.Bounds().low, 50);
  EXPECT_NEAR(trapezoid.Bounds().joules, 50, 1e-9);
  EXPECT_LT(trapezoid.Bounds().high - trapezoid.Bounds().low,
            right.Bounds().high - right.Bounds().low);
}

TEST(PowerEnergy, IgnoresWhatIsNoNumber) {
  PowerEnergy energy({1, 1}, 1);
  energy.Add(NAN, 1, 1, 0.1);
  energy.Add(1, NAN, 1, 0.1);
  energy.Add(1, 1, kInfinity, 0.1);
  energy.Add(1, 1, 1, 0);
  EXPECT_EQ(energy.intervals(), 0u);
  EXPECT_EQ(energy.Bounds().joules, 0);
}

}  // namespace
}  // namespace csink

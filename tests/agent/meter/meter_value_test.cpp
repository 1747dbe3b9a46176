#include "agent/meter/meter_value.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profil/format/format.h"

namespace csink::agent {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

/// Adds readings as the meter does.
struct Counter {
  explicit Counter(std::uint32_t flags) { value.flags = flags; }
  void Read(double now, std::uint64_t at_ns) {
    AddReading(value, before, now, at_ns);
    before = {now, at_ns};
  }
  MeterValue value = {};
  MeterBefore before;
};

TEST(MeterValue, TheMeanOfAPowerIsTheTrapezoid) {
  Counter power(0);
  power.Read(0, 100 * kMs);
  power.Read(100, 200 * kMs);  // rises evenly: 50 in the mean, not 100
  EXPECT_DOUBLE_EQ(power.value.time_sum, 50.0 * 100 * kMs);
  power.Read(0, 500 * kMs);
  EXPECT_DOUBLE_EQ(power.value.time_sum / static_cast<double>(power.value.covered_ns), 50);
  EXPECT_EQ(power.value.minimum, 0);
  EXPECT_EQ(power.value.maximum, 100);
}

TEST(MeterValue, ACounterThatBeganAnewHasNeitherGrowthNorTimeBeforeThat) {
  Counter energy(spool::kCounterAccumulates);
  energy.Read(500, 100 * kMs);
  energy.Read(510, 200 * kMs);
  AddBeginning(energy.value, 400 * kMs);
  energy.before = {900, 400 * kMs};
  energy.Read(910, 500 * kMs);
  EXPECT_DOUBLE_EQ(energy.value.value, 20);
  EXPECT_EQ(energy.value.covered_ns, 200 * kMs);
  EXPECT_EQ(energy.value.readings, 4u);
  EXPECT_NE(energy.value.flags & spool::kCounterIsLowerBound, 0u);
}

TEST(MeterValue, EachReadingHasItsOwnTime) {
  Counter energy(spool::kCounterAccumulates);
  energy.Read(5000, 103 * kMs);
  energy.Read(5010, 203 * kMs);
  EXPECT_EQ(energy.value.first_ns, 103 * kMs);
  EXPECT_EQ(energy.value.last_ns, 203 * kMs);
  EXPECT_EQ(energy.value.covered_ns, 100 * kMs);
  EXPECT_DOUBLE_EQ(energy.value.value, 10);
}

TEST(MeterValue, AnImpossibleReadingIsAFailedOneAndAveragedNowhere) {
  Counter power(0);
  power.Read(10, 100 * kMs);
  EXPECT_FALSE(AddReading(power.value, power.before, std::nan(""), 150 * kMs));
  power.Read(10, 200 * kMs);
  EXPECT_EQ(power.value.failed, 1u);
  EXPECT_NE(power.value.flags & spool::kCounterFailed, 0u);
  EXPECT_EQ(power.value.readings, 2u);
  EXPECT_DOUBLE_EQ(power.value.time_sum, 10.0 * 100 * kMs);
  Counter energy(spool::kCounterAccumulates);
  energy.Read(500, 100 * kMs);
  EXPECT_FALSE(AddReading(energy.value, energy.before, 20, 200 * kMs));
  energy.before = {20, 200 * kMs};
  energy.Read(30, 300 * kMs);
  EXPECT_DOUBLE_EQ(energy.value.value, 10);
  EXPECT_EQ(energy.value.covered_ns, 100 * kMs);
  EXPECT_EQ(energy.value.failed, 1u);
}

TEST(MeterValue, APauseIsNeitherTimeNorGrowth) {
  Counter energy(spool::kCounterAccumulates);
  energy.Read(10, 100 * kMs);
  energy.before.ns = 0;  // a pause follows
  energy.Read(900, 700 * kMs);
  energy.Read(905, 800 * kMs);
  EXPECT_DOUBLE_EQ(energy.value.value, 5);
  EXPECT_EQ(energy.value.covered_ns, 100 * kMs);
}

}  // namespace
}  // namespace csink::agent

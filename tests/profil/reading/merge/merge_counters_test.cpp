#include <gtest/gtest.h>

#include <limits>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "profil/reading/reader/reader.h"

namespace csink {
namespace {

constexpr char kName[] = "rapl:::PACKAGE_ENERGY:PACKAGE0";
constexpr std::uint64_t kSecond = 1'000'000'000;

/// A profile of one process with one counter that grew by one a second.
Profile Measured(std::uint64_t first_s, std::uint64_t last_s, std::uint64_t machine = 1) {
  Profile profile;
  profile.events.push_back({.name = "task-clock"});
  ProcessRow process;
  process.host = "node";
  process.pid = static_cast<std::uint32_t>(100 + first_s);
  process.counts.resize(1);
  profile.processes.push_back(process);
  DeviceCounter counter;
  counter.name = kName;
  counter.units = "J";
  counter.host = "node";
  counter.machine = machine;
  counter.flags = spool::kCounterAccumulates;
  counter.first_ns = first_s * kSecond;
  counter.last_ns = last_s * kSecond;
  counter.covered_ns = counter.last_ns - counter.first_ns;
  counter.machine_busy_ns = counter.covered_ns * 2;
  counter.readings = 10;
  counter.value = static_cast<double>(last_s - first_s);
  profile.device_counters.push_back(counter);
  return profile;
}

spool::Spool AsSpool(const Profile& profile) {
  auto bytes = BuildMergedFile(profile);
  EXPECT_TRUE(bytes.has_value());
  auto spool = spool::ParseSpool(std::move(*bytes));
  EXPECT_TRUE(spool.has_value());
  EXPECT_TRUE(spool->problems.empty());
  return std::move(*spool);
}

Profile Merged(std::initializer_list<Profile> profiles) {
  ProfileMerger merger{MergeOptions{}};
  for (const Profile& profile : profiles) {
    merger.Add(AsSpool(profile), ProcessState::kComplete, "x.csink");
  }
  return merger.Finish();
}

TEST(DeviceCounters, SurviveAMergedFile) {
  const Profile profile = Merged({Measured(10, 13)});
  ASSERT_EQ(profile.device_counters.size(), 1u);
  const DeviceCounter& counter = profile.device_counters[0];
  EXPECT_EQ(counter.name, kName);
  EXPECT_EQ(counter.units, "J");
  EXPECT_EQ(counter.host, "node");
  EXPECT_EQ(counter.first_ns, 10 * kSecond);
  EXPECT_EQ(counter.covered_ns, 3 * kSecond);
  EXPECT_EQ(counter.machine_busy_ns, 6 * kSecond);
  EXPECT_DOUBLE_EQ(counter.value, 3);
}

TEST(DeviceCounters, OfTheSameTimeCountOnce) {
  const Profile profile = Merged({Measured(10, 20), Measured(12, 18), Measured(10, 20)});
  ASSERT_EQ(profile.device_counters.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.device_counters[0].value, 10);
}

TEST(DeviceCounters, OfOverlappingTimesCountTheirUnion) {
  const Profile profile = Merged({Measured(15, 25), Measured(10, 20)});
  ASSERT_EQ(profile.device_counters.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.device_counters[0].value, 15);
  EXPECT_EQ(profile.device_counters[0].covered_ns, 15 * kSecond);
}

TEST(DeviceCounters, OfLaterTimesAreAdded) {
  const Profile profile = Merged({Measured(10, 12), Measured(20, 23)});
  ASSERT_EQ(profile.device_counters.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.device_counters[0].value, 5);
  EXPECT_EQ(profile.device_counters[0].covered_ns, 5 * kSecond);
}

TEST(DeviceCounters, ThatOnlyFailedAreToldAndAddNothing) {
  Profile failed = Measured(0, 0);
  failed.device_counters[0].readings = 0;
  failed.device_counters[0].flags |= spool::kCounterFailed;
  const Profile alone = Merged({failed});
  ASSERT_EQ(alone.device_counters.size(), 1u);
  EXPECT_EQ(alone.device_counters[0].readings, 0u);

  const Profile both = Merged({failed, Measured(10, 12)});
  ASSERT_EQ(both.device_counters.size(), 1u);
  const DeviceCounter& counter = both.device_counters[0];
  EXPECT_EQ(counter.readings, 10u);
  EXPECT_EQ(counter.first_ns, 10 * kSecond);
  EXPECT_EQ(counter.covered_ns, 2 * kSecond);
  EXPECT_NE(counter.flags & spool::kCounterFailed, 0u);
  EXPECT_DOUBLE_EQ(counter.value, 2);
}

TEST(DeviceCounters, OfAnotherMachineAreApart) {
  EXPECT_EQ(Merged({Measured(10, 12, 1), Measured(10, 12, 2)}).device_counters.size(), 2u);
}

TEST(DeviceCounters, WithImpossibleNumbersAreBounded) {
  Profile profile = Measured(10, 12);
  profile.device_counters[0].value = std::numeric_limits<double>::quiet_NaN();
  profile.device_counters[0].last_ns = 0;
  profile.device_counters[0].covered_ns = ~0ull;
  const Profile read = Merged({profile});
  ASSERT_EQ(read.device_counters.size(), 1u);
  EXPECT_EQ(read.device_counters[0].value, 0);
  EXPECT_EQ(read.device_counters[0].covered_ns, 0u);
}

}  // namespace
}  // namespace csink

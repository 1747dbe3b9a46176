#include "symbolizer/report/data/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolizer/report/text/text.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::HasSubstr;

constexpr std::uint64_t kSecond = 1'000'000'000;

/// `joules` in two seconds in which all programs together used `busy_s` of CPU time.
DeviceCounter Package(const std::string& name, double joules, std::uint64_t busy_s = 4) {
  DeviceCounter counter;
  counter.name = name;
  counter.units = "nJ";
  counter.host = "node";
  counter.machine = 1;
  counter.flags = spool::kCounterAccumulates;
  counter.first_ns = kSecond;
  counter.last_ns = 3 * kSecond;
  counter.covered_ns = 2 * kSecond;
  counter.machine_busy_ns = busy_s * kSecond;
  counter.readings = 20;
  counter.value = joules * 1e9;
  return counter;
}

Profile With(std::vector<DeviceCounter> counters) {
  Profile profile = std::move(Make(XzSpool(), XzNames()).profile);
  profile.device_counters = std::move(counters);
  return profile;
}

TEST(ShareEnergy, IsByTheProgramsPartOfAllCpuTime) {
  const auto shares = ShareEnergy(With({Package("rapl:::PACKAGE_ENERGY:PACKAGE0", 100)}), 1.0);
  ASSERT_TRUE(shares);
  EXPECT_TRUE(shares->share_is_known);
  EXPECT_DOUBLE_EQ(shares->joules, 100);
  EXPECT_DOUBLE_EQ(shares->program_share, 0.25);
  EXPECT_DOUBLE_EQ(shares->program_joules, 25);
}

TEST(ShareEnergy, SumsPackagesButNotWhatTheyContain) {
  const auto shares = ShareEnergy(With({Package("rapl:::PACKAGE_ENERGY:PACKAGE0", 100),
                                        Package("rapl:::DRAM_ENERGY:PACKAGE0", 7),
                                        Package("rapl:::PACKAGE_ENERGY:PACKAGE1", 60)}),
                                  4.0);
  ASSERT_TRUE(shares);
  EXPECT_DOUBLE_EQ(shares->joules, 160);
  EXPECT_DOUBLE_EQ(shares->program_share, 1);  // the machine's CPU time counts once
}

TEST(ShareEnergy, NeverGivesAProgramMoreThanThereWas) {
  const auto shares = ShareEnergy(With({Package("rapl:::PACKAGE_ENERGY:PACKAGE0", 10)}), 5.0);
  ASSERT_TRUE(shares);
  EXPECT_DOUBLE_EQ(shares->program_joules, 10);
}

TEST(ShareEnergy, SaysWhenOtherProgramsPartIsNotKnown) {
  const auto shares = ShareEnergy(With({Package("rapl:::PACKAGE_ENERGY:PACKAGE0", 10, 0)}), 1.0);
  ASSERT_TRUE(shares);
  EXPECT_FALSE(shares->share_is_known);
  EXPECT_DOUBLE_EQ(shares->program_joules, 10);
}

TEST(ShareEnergy, LeavesAGpusEnergyAlone) {
  EXPECT_FALSE(ShareEnergy(With({Package("nvml:::A100:device_0:energy", 10)}), 1.0));
}

/// A process of 20 s, all of it CPU time, whose counter was read in its first 2 s.
Profile WithADeadMeter() {
  Profile profile = With({Package("rapl:::PACKAGE_ENERGY:PACKAGE0", 4.4)});
  ProcessRow& process = profile.processes.at(0);
  process.start_monotonic_ns = kSecond;
  process.update_monotonic_ns = 21 * kSecond;
  process.user_ns = 20 * kSecond;
  process.system_ns = 0;
  profile.device_counters[0].host = process.host;
  return profile;
}

TEST(ShareEnergy, OfAMeterThatDiedIsByTheMeasuredPartOfTheRun) {
  Profile profile = WithADeadMeter();
  const auto shares = ShareEnergy(profile, 20.0);
  ASSERT_TRUE(shares);
  EXPECT_DOUBLE_EQ(shares->measured_part, 0.1);
  EXPECT_DOUBLE_EQ(shares->joules, 4.4);
  EXPECT_DOUBLE_EQ(shares->program_share, 0.5);  // 2 s of the machine's 4 s, not 20 s of them
  EXPECT_DOUBLE_EQ(shares->program_joules, 2.2);
  EXPECT_EQ(LongestUnmeasuredNs(profile, profile.device_counters[0]), 18 * kSecond);
}

TEST(ShareEnergy, AReadingShortlyBeforeTheEndIsTheLast) {
  Profile profile = WithADeadMeter();
  profile.processes[0].update_monotonic_ns = 3 * kSecond + kSecond / 2;
  EXPECT_EQ(LongestUnmeasuredNs(profile, profile.device_counters[0]), 0u);
  EXPECT_DOUBLE_EQ(ShareEnergy(profile, 2.0)->measured_part, 1);
  // A BMC that is read every 2 s.
  profile.device_counters[0].readings = 2;
  profile.processes[0].update_monotonic_ns = 8 * kSecond;
  EXPECT_EQ(LongestUnmeasuredNs(profile, profile.device_counters[0]), 0u);
}

TEST(EnergyText, SaysWhichPartOfTheRunADeadMeterMeasured) {
  const FakeResolver names = XzNames();
  const Report report = BuildReport(WithADeadMeter(), std::cref(names));
  EXPECT_THAT(EnergyHeaderLines(report)[0],
              HasSubstr("; not the whole run: the readings ended 18 s before the program, so they "
                        "are of 10.0"));
  EXPECT_THAT(EnergyVerdict(report), HasSubstr("the whole run used 44.0 J"));
}

TEST(DeviceReadings, AreInUnitsOfPeople) {
  DeviceCounter power = Package("nvml:::power", 0);
  power.units = "mW";
  power.flags = 0;
  power.value = 2000;
  power.time_sum = 3000.0 * 2 * kSecond;
  const Profile profile = With({power});
  const auto readings = DeviceReadings(profile);
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].units, "W");
  EXPECT_DOUBLE_EQ(readings[0].value, 2);
  EXPECT_DOUBLE_EQ(readings[0].average, 3);
  EXPECT_FALSE(readings[0].is_energy);
}

TEST(EnergyText, SaysWhoseItIsAndThatItIsAnEstimate) {
  const FakeResolver names = XzNames();
  const Report report =
      BuildReport(With({Package("rapl:::PACKAGE_ENERGY:PACKAGE0", 91.2)}), std::cref(names));
  const std::string text = WriteText(report, {});
  EXPECT_THAT(text, HasSubstr("91.2 J, 45.60 W over 2 s, whole machine (all programs)"));
  EXPECT_THAT(text, HasSubstr("~J is an estimate by CPU time, not a measurement"));
  EXPECT_THAT(text, HasSubstr("~J  function"));
}

TEST(EnergyText, SaysUpToWhenADeviceAnswered) {
  const FakeResolver names = XzNames();
  DeviceCounter counter = Package("rapl:::PACKAGE_ENERGY:PACKAGE0", 100);
  counter.flags |= spool::kCounterFailed;
  DeviceCounter never = Package("rapl:::PACKAGE_ENERGY:PACKAGE1", 0);
  never.flags |= spool::kCounterFailed;
  never.first_ns = never.last_ns = never.covered_ns = never.readings = 0;
  const Report report = BuildReport(With({counter, never}), std::cref(names));
  const std::vector<std::string> lines = EnergyHeaderLines(report);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("50.00 W over 2 s"));
  EXPECT_THAT(lines[0], HasSubstr("; some readings failed; up to the last successful reading, "));
  EXPECT_THAT(lines[1], HasSubstr("could not be read"));
}

TEST(EnergyText, CountsTheReadingsThatFailed) {
  const FakeResolver names = XzNames();
  DeviceCounter counter = Package("nvml:::H100:power", 100);
  counter.flags |= spool::kCounterFailed;
  counter.failed_readings = 3;
  const Report report = BuildReport(With({counter}), std::cref(names));
  EXPECT_THAT(EnergyHeaderLines(report)[0], HasSubstr("; 3 readings failed; up to the last"));
}

TEST(EnergyText, IsNotThereWithoutCounters) {
  const std::string text = WriteText(Make(XzSpool(), XzNames()), {});
  EXPECT_EQ(text.find("energy"), std::string::npos);
  EXPECT_EQ(text.find("~J"), std::string::npos);
}

TEST(Joules, HaveThreeDigits) {
  EXPECT_EQ(Joules(0), "0 J");
  EXPECT_EQ(Joules(0.000456), "456 uJ");
  EXPECT_EQ(Joules(0.774), "774 mJ");
  EXPECT_EQ(Joules(1.234), "1.23 J");
  EXPECT_EQ(Joules(12345), "12.3 kJ");
}

}  // namespace
}  // namespace csink::report

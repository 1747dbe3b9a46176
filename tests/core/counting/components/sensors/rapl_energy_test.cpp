#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tests/core/counting/components/sensors/rapl_rig.h"
#include "tests/fakes/as_nobody.h"

namespace csink {
namespace {

using testing::AsNobody;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::OpenedSource;

class RaplEnergy : public testing::RaplRig {};

// --- energy by perf

TEST_F(RaplEnergy, AsksPerfFirstWithOneGroupAPackage) {
  AddPmu();
  AddZone("0", "package-0", "100");
  OpenedSource rapl = Open();
  ASSERT_TRUE(rapl.ok()) << rapl.reason();
  EXPECT_THAT(rapl.Names(), ElementsAre("PACKAGE_ENERGY:PACKAGE0", "DRAM_ENERGY:PACKAGE0",
                                        "PACKAGE_ENERGY:PACKAGE1", "DRAM_ENERGY:PACKAGE1"));
  const auto& opens = kernel_.opens();
  ASSERT_EQ(opens.size(), 4u);
  for (const auto& open : opens) {
    EXPECT_EQ(open.attr.type, 14u);
    EXPECT_EQ(open.tid, -1);
    EXPECT_EQ(open.attr.exclude_kernel + open.attr.exclude_user, 0u) << "the PMU excludes nothing";
  }
  EXPECT_EQ(opens[0].cpu, 0);
  EXPECT_EQ(opens[1].group_fd, opens[0].answer);
  EXPECT_EQ(opens[2].cpu, 2);
  EXPECT_EQ(opens[2].group_fd, -1);

  kernel_.event(static_cast<int>(opens[0].answer)).value = 5ull << 32;  // 5 J
  kernel_.event(static_cast<int>(opens[3].answer)).value = 1ull << 31;
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 5'000'000'000u);
  EXPECT_EQ(rapl.Value("DRAM_ENERGY:PACKAGE1"), 500'000'000u);
  const DeviceEvent* event = rapl.Find("PACKAGE_ENERGY:PACKAGE0");
  EXPECT_EQ(event->units, "nJ");
  EXPECT_TRUE(event->accumulates);
  EXPECT_EQ(event->longest_gap_ns, 0u) << "the kernel extends it";
}

TEST_F(RaplEnergy, ReadsAGroupOnceForAllOfItsEvents) {
  AddPmu();
  OpenedSource rapl = Open();
  const std::uint32_t places[] = {0, 1, 0};
  std::uint64_t bits[3];
  Error errors[3];
  const std::size_t before = kernel_.reads();
  ASSERT_TRUE(rapl.source().Read(places, bits, errors));
  EXPECT_EQ(errors[2].code, Errc::kOk);
  EXPECT_EQ(kernel_.reads(), before + 1);
  kernel_.RefuseReads(EIO);
  ASSERT_TRUE(rapl.source().Read(places, bits, errors));
  EXPECT_EQ(errors[0].sys_errno, EIO);
}

TEST_F(RaplEnergy, TakesPowercapWherePerfRefuses) {
  AddPmu();
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EACCES; });
  AddZone("0", "package-0", "100");
  AddZone("0:0", "dram", "7");
  AddZone("1", "package-3", "200");
  AddZone("2", "psys", "900");
  OpenedSource rapl = Open();
  ASSERT_TRUE(rapl.ok());
  EXPECT_THAT(rapl.Names(), ElementsAre("PACKAGE_ENERGY:PACKAGE0", "DRAM_ENERGY:PACKAGE0",
                                        "PACKAGE_ENERGY:PACKAGE1", "PSYS_ENERGY:PACKAGE0"));
  EXPECT_EQ(rapl.source().missing(), "");
}

TEST_F(RaplEnergy, DomainsThatPerfHasNotComeFromTheNextWay) {
  AddPmu();
  AddZone("0", "package-0", "100");
  AddZone("0:0", "core", "7");
  EXPECT_THAT(Open().Names(), Contains("PP0_ENERGY:PACKAGE0"));
}

TEST_F(RaplEnergy, MalformedFilesOfThePmuAreNoEvents) {
  AddPmu();
  const std::string events = "/sys/bus/event_source/devices/power/events/";
  tree_.Add(events + "energy-pkg", "umask=3\n");
  tree_.Add(events + "energy-ram.scale", "two\n");
  OpenedSource rapl = Open();
  EXPECT_FALSE(rapl.ok());
  EXPECT_THAT(rapl.reason(), HasSubstr("the kernel has no power PMU"));
  EXPECT_EQ(kernel_.opens().size(), 0u);
}

// The PMU of newer kernels for AMD's cores (arch/x86/events/rapl.c).
TEST_F(RaplEnergy, CoresOfAPackageAreAddedUp) {
  AddPmu();
  const std::string pmu = "/sys/bus/event_source/devices/power_core/";
  tree_.Add(pmu + "type", "15\n");
  tree_.Add(pmu + "cpumask", "0-3\n");
  tree_.Add(pmu + "events/energy-core", "event=0x01\n");
  tree_.Add(pmu + "events/energy-core.scale", "2.3283064365386962890625e-10\n");
  OpenedSource rapl = Open();
  EXPECT_THAT(rapl.Names(),
              ::testing::IsSupersetOf(
                  {"PACKAGE_ENERGY:PACKAGE0", "PP0_ENERGY:PACKAGE0", "PP0_ENERGY:PACKAGE1"}));
  for (const auto& open : kernel_.opens()) {
    if (open.attr.type != 15) continue;
    EXPECT_EQ(open.attr.config, 1u);
    // 2^30 counts are 0.25 J; core 2 has used 1 J.
    kernel_.event(static_cast<int>(open.answer)).value = open.cpu == 2 ? 1ull << 32 : 1ull << 30;
  }
  EXPECT_EQ(rapl.Value("PP0_ENERGY:PACKAGE0"), 500'000'000u);
  EXPECT_EQ(rapl.Value("PP0_ENERGY:PACKAGE1"), 1'250'000'000u);
}

TEST_F(RaplEnergy, CoresOfThePackagesPmuArePreferred) {
  AddPmu();
  const std::string devices = "/sys/bus/event_source/devices/";
  tree_.Add(devices + "power/events/energy-cores", "event=0x01\n");
  tree_.Add(devices + "power/events/energy-cores.scale", "2.3283064365386962890625e-10\n");
  tree_.Add(devices + "power_core/type", "15\n");
  tree_.Add(devices + "power_core/cpumask", "0-3\n");
  tree_.Add(devices + "power_core/events/energy-core", "event=0x01\n");
  tree_.Add(devices + "power_core/events/energy-core.scale", "2.3283064365386962890625e-10\n");
  EXPECT_THAT(Open().Names(), Contains("PP0_ENERGY:PACKAGE0"));
  for (const auto& open : kernel_.opens()) EXPECT_EQ(open.attr.type, 14u);
}

// --- energy by powercap

TEST_F(RaplEnergy, PowercapsEnergyIsExtendedOverItsWraps) {
  AddZone("0", "package-0", "262143328000");
  OpenedSource rapl = Open();
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 0u);
  AddZone("0", "package-0", "149");
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 1'000'000u) << "850 + 1 + 149 µJ";
  AddZone("0", "package-0", "1149");
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 2'000'000u);
}

TEST_F(RaplEnergy, ItIsReadBeforeItWrapsAtTheMostPowerThatIsAllowed) {
  AddZone("0", "package-0", "5", "99999999");
  tree_.Add("/sys/class/powercap/intel-rapl:0/constraint_0_max_power_uw", "25000000\n");
  tree_.Add("/sys/class/powercap/intel-rapl:0/constraint_1_power_limit_uw", "50000000\n");
  AddZone("1", "package-3", "5", "99999999");
  OpenedSource rapl = Open();
  EXPECT_EQ(rapl.Find("PACKAGE_ENERGY:PACKAGE0")->longest_gap_ns, 1'000'000'000u)
      << "100 J at twice the limit of 50 W";
  EXPECT_EQ(rapl.Find("PACKAGE_ENERGY:PACKAGE1")->longest_gap_ns, 100'000'000u)
      << "at 1000 W where nobody tells";
}

TEST_F(RaplEnergy, DiesOfAPackageAreAddedUp) {
  AddZone("0", "package-0-die-0", "100");
  AddZone("1", "package-0-die-1", "500");
  OpenedSource rapl = Open();
  EXPECT_THAT(rapl.Names(), ElementsAre("PACKAGE_ENERGY:PACKAGE0"));
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 0u);
  AddZone("0", "package-0-die-0", "103");
  AddZone("1", "package-0-die-1", "504");
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 7'000u);
}

TEST_F(RaplEnergy, MalformedZonesAreLeftOut) {
  AddZone("0", "package-0", "many");
  AddZone("1", "package-x", "1");
  AddZone("2", "package-77", "1");
  AddZone("3:0", "core", "1");
  AddZone("x", "package-0", "1");
  AddZone("0:1:2", "core", "1");
  AddZone("4", "package-3", "-5");
  EXPECT_FALSE(Open().ok());
}

TEST_F(RaplEnergy, AZoneThatTurnsToNonsenseIsAnError) {
  AddZone("0", "package-0", "100");
  OpenedSource rapl = Open();
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 0u);
  AddZone("0", "package-0", "");
  EXPECT_EQ(rapl.Try("PACKAGE_ENERGY:PACKAGE0").error().code, Errc::kCorrupt);
  AddZone("0", "package-0", "105");
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE0"), 5'000u);
}

// --- energy by registers

TEST_F(RaplEnergy, IntelsRegistersCountInTheirUnits) {
  AddIntelRegisters();
  OpenedSource rapl = Open();
  EXPECT_THAT(rapl.Names(), Not(Contains("PP1_ENERGY:PACKAGE0")));
  EXPECT_THAT(rapl.Names(), Not(Contains("PP0_ENERGY:PACKAGE0")));
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE1"), 0u);
  EXPECT_EQ(rapl.Value("DRAM_ENERGY:PACKAGE1"), 0u);
  bank_.values[{2, kMsrPackageEnergy}] = 0x3ff0;  // 2^14 counts later, over a wrap
  bank_.values[{2, kMsrDramEnergy}] = 1'000 + (1 << 16);
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY:PACKAGE1"), 1'000'000'000u);
  EXPECT_EQ(rapl.Value("PACKAGE_ENERGY_CNT:PACKAGE1"), 16'384u);
  EXPECT_EQ(rapl.Value("DRAM_ENERGY:PACKAGE1"), 1'000'000'000u) << "this server's is always 2^-16";
  EXPECT_NEAR(static_cast<double>(rapl.Find("PACKAGE_ENERGY:PACKAGE1")->longest_gap_ns), 262.144e9,
              1e6);
}

TEST_F(RaplEnergy, OtherModelsHaveOneUnitForAll) {
  Cpuinfo("GenuineIntel", 158);
  AddIntelRegisters();
  OpenedSource rapl = Open();
  EXPECT_EQ(rapl.Value("DRAM_ENERGY:PACKAGE0"), 0u);
  bank_.values[{0, kMsrDramEnergy}] = 1'000 + (1 << 14);
  EXPECT_EQ(rapl.Value("DRAM_ENERGY:PACKAGE0"), 1'000'000'000u);
}

TEST_F(RaplEnergy, AmdsCoresAreAddedUp) {
  Cpuinfo("AuthenticAMD", 49);
  bank_.refusal = {};
  for (const unsigned cpu : {0u, 1u}) {
    bank_.values[{cpu, kMsrAmdPowerUnit}] = 0xa1003;  // 2^-16 J
    bank_.values[{cpu, kMsrAmdPackageEnergy}] = 10;
    bank_.values[{cpu, kMsrAmdCoreEnergy}] = 20 + cpu;
  }
  OpenedSource rapl = Open();
  EXPECT_THAT(rapl.Names(), ElementsAre("PACKAGE_ENERGY:PACKAGE0", "PP0_ENERGY:PACKAGE0",
                                        "PACKAGE_ENERGY_CNT:PACKAGE0", "PP0_ENERGY_CNT:PACKAGE0"));
  EXPECT_EQ(rapl.Value("PP0_ENERGY:PACKAGE0"), 0u);
  bank_.values[{0, kMsrAmdCoreEnergy}] += 1 << 14;
  bank_.values[{1, kMsrAmdCoreEnergy}] += 3 << 14;
  EXPECT_EQ(rapl.Value("PP0_ENERGY:PACKAGE0"), 1'000'000'000u);
}

TEST_F(RaplEnergy, AHypervisorsEmptyRegistersAreNone) {
  bank_.refusal = {};
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    for (const std::uint32_t number : {kMsrRaplPowerUnit, kMsrPackageEnergy, kMsrTemperatureTarget,
                                       kMsrPackageThermStatus, kMsrTsc, kMsrMperf, kMsrAperf}) {
      bank_.values[{cpu, number}] = 0;
    }
  }
  OpenedSource rapl = Open();
  EXPECT_FALSE(rapl.ok());
  EXPECT_THAT(rapl.reason(), HasSubstr("the processor's energy registers contain no value"));
}

TEST_F(RaplEnergy, TellsPAPI7sFiguresOfPower) {
  AddIntelRegisters();
  OpenedSource rapl = Open();
  EXPECT_DOUBLE_EQ(rapl.Floating("THERMAL_SPEC:PACKAGE0"), 150);
  EXPECT_DOUBLE_EQ(rapl.Floating("MINIMUM_POWER:PACKAGE0"), 62.5);
  EXPECT_DOUBLE_EQ(rapl.Floating("MAXIMUM_POWER:PACKAGE1"), 300);
  EXPECT_DOUBLE_EQ(rapl.Floating("MAXIMUM_TIME_WINDOW:PACKAGE1"), 40.0 / 1024);
  EXPECT_EQ(rapl.Find("MAXIMUM_POWER:PACKAGE1")->units, "W");
}

TEST_F(RaplEnergy, WithoutRegistersPowercapTellsThem) {
  AddZone("0", "package-3", "1");
  tree_.Add("/sys/class/powercap/intel-rapl:0/constraint_0_max_power_uw", "150000000\n");
  tree_.Add("/sys/class/powercap/intel-rapl:0/constraint_1_max_power_uw", "0\n");
  OpenedSource rapl = Open();
  EXPECT_DOUBLE_EQ(rapl.Floating("THERMAL_SPEC:PACKAGE1"), 150);
  EXPECT_EQ(rapl.Find("MAXIMUM_POWER:PACKAGE1"), nullptr);
  EXPECT_EQ(rapl.Find("THERMAL_SPEC:PACKAGE0"), nullptr);
}

TEST_F(RaplEnergy, TheLimitsOfDiesAreAddedUp) {
  for (const char* die : {"0", "1"}) {
    AddZone(die, std::string("package-0-die-") + die, "1");
    const std::string zone = std::string("/sys/class/powercap/intel-rapl:") + die + "/constraint_";
    tree_.Add(zone + "0_max_power_uw", "165000000\n");
    tree_.Add(zone + "1_max_power_uw", "200000000\n");
    tree_.Add(zone + "0_max_time_window_us", "999424\n");
  }
  // A subzone has the number of its zone in front, and limits that are not the package's.
  AddZone("0:0", "dram", "1");
  tree_.Add("/sys/class/powercap/intel-rapl:0:0/constraint_0_max_power_uw", "41250000\n");
  OpenedSource rapl = Open();
  EXPECT_DOUBLE_EQ(rapl.Floating("THERMAL_SPEC:PACKAGE0"), 330);
  EXPECT_DOUBLE_EQ(rapl.Floating("MAXIMUM_POWER:PACKAGE0"), 400);
  EXPECT_DOUBLE_EQ(rapl.Floating("MAXIMUM_TIME_WINDOW:PACKAGE0"), 0.999424);
  EXPECT_EQ(rapl.Find("THERMAL_SPEC:PACKAGE1"), nullptr);
}

// --- why there is none

TEST_F(RaplEnergy, EachWayThatIsClosedSaysWhatWouldOpenIt) {
  AddPmu();
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EACCES; });
  bank_.refusal = {Errc::kPermission, EACCES, "refused"};
  OpenedSource rapl = Open();
  EXPECT_FALSE(rapl.ok());
  EXPECT_THAT(rapl.reason(), HasSubstr("the energy of the processors cannot be read: "));
  EXPECT_THAT(rapl.reason(), HasSubstr("kernel.perf_event_paranoid <= 0 or CAP_PERFMON"));
  EXPECT_THAT(rapl.reason(), HasSubstr("/sys/class/powercap has no RAPL zones"));
  EXPECT_THAT(rapl.reason(), HasSubstr("root with CAP_SYS_RAWIO"));
}

TEST_F(RaplEnergy, AZoneThatIsRootsAloneSaysWhoMayReadIt) {
  AddZone("0", "package-0", "100");
  const AsNobody nobody(tree_, "/sys/class/powercap/intel-rapl:0/energy_uj");
  OpenedSource rapl = Open();
  EXPECT_FALSE(rapl.ok());
  EXPECT_THAT(rapl.reason(), HasSubstr("energy_uj is readable by root only (needs "
                                       "CAP_DAC_READ_SEARCH, or chmod a+r"));
}

TEST_F(RaplEnergy, RegistersByTheirDeviceSayWhoMayReadThem) {
  tree_.Add("/dev/cpu/0/msr", "12345678");
  const AsNobody nobody(tree_, "/dev/cpu/0/msr");
  DeviceMsrReader registers(tree_.tree());
  EXPECT_EQ(registers.Read(0, 0).error().code, Errc::kPermission);
  EXPECT_EQ(registers.Read(1, 0).error().code, Errc::kNotFound);
}

TEST_F(RaplEnergy, RegistersAreReadAtTheirNumbers) {
  tree_.Add("/dev/cpu/3/msr", std::string(0x611, 'x') + "\x01\x02\x03\x04\x05\x06\x07\x08");
  tree_.Add("/dev/cpu/2/msr_safe", "\x09\x01\x01\x01\x01\x01\x01\x01");
  tree_.Add("/dev/cpu/2/msr", "\x02\x02\x02\x02\x02\x02\x02\x02");
  DeviceMsrReader registers(tree_.tree());
  EXPECT_EQ(*registers.Read(3, 0x611), 0x0807060504030201u);
  EXPECT_EQ(*registers.Read(2, 0), 0x0101010101010109u) << "msr_safe comes before msr";
  EXPECT_EQ(registers.Read(3, 0x700).error().code, Errc::kNoEvent);
}

TEST_F(RaplEnergy, WithoutEnergyTheComponentIsDisabled) {
  tree_.Add("/proc/meminfo", "MemTotal: 100 kB\nMemFree: 60 kB\n");
  tree_.Add("/proc/stat", "cpu  100 0 0 300 0 0 0 0 0 0\n");
  OpenedSource rapl = Open();
  EXPECT_FALSE(rapl.ok());
  EXPECT_THAT(rapl.reason(), HasSubstr("the energy of the processors cannot be read"));
  EXPECT_THAT(rapl.reason(), HasSubstr("modprobe msr"));
}

}  // namespace
}  // namespace csink

#include <gtest/gtest.h>

#include <cerrno>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/ipmi/ipmi_device.h"
#include "tests/fakes/fake_bmc.h"
#include "tests/fakes/recorded_tree.h"
#include "tests/fakes/vendor/opened_source.h"

namespace csink {
namespace {

using testing::FakeBmc;
using testing::OpenedSource;
using testing::RecordedTree;
using testing::SensorBytes;

constexpr std::pair<int, int> kGetSdr(0x0A, 0x23), kReserve(0x0A, 0x22), kReading(0x04, 0x2D),
    kDell(0x30, 0xB3);

SensorBytes Sensor(std::uint8_t number, const char* name, std::uint8_t entity,
                   std::uint8_t base_unit, std::uint8_t instance = 1) {
  SensorBytes bytes;
  bytes.number = number;
  bytes.name = name;
  bytes.entity = entity;
  bytes.base_unit = base_unit;
  bytes.instance = instance;
  bytes.sensor_type = base_unit == 6 ? 0x0B : 1;
  return bytes;
}

struct Ipmi : ::testing::Test {
  RecordedTree tree;
  FakeBmc bmc;

  // A server: two processors, inlet and exhaust at the board, a fan, power of the board.
  void MakeServer() {
    bmc.Add(Sensor(14, "Temp", 3, 1, 1), 60);
    bmc.Add(Sensor(15, "Temp", 3, 1, 2), 61);
    bmc.Add(Sensor(4, "Inlet Temp", 7, 1), 23);
    bmc.Add(Sensor(1, "Exhaust Temp", 7, 1), 35);
    bmc.Add(Sensor(48, "Fan1 RPM", 29, 18), 40);
    SensorBytes power = Sensor(119, "Pwr Consumption", 7, 6);
    power.m = 14;
    bmc.Add(power, 12);
  }
  OpenedSource Open() { return OpenedSource(MakeIpmiSource(&bmc, tree.tree())); }
};

TEST_F(Ipmi, HasApapisEventsAndEachSensor) {
  MakeServer();
  bmc.dcmi_power = 180;
  OpenedSource ipmi = Open();
  ASSERT_TRUE(ipmi.opened()) << ipmi.reason();
  std::vector<std::string> names;
  for (const DeviceEvent& event : ipmi.source().events()) names.push_back(event.name);
  EXPECT_EQ(names, (std::vector<std::string>{"BOARD_POWER", "SYSTEM_POWER", "SYSTEM_TEMP", "Temp",
                                             "Temp:2", "Inlet_Temp", "Exhaust_Temp", "Fan1_RPM",
                                             "Pwr_Consumption"}));
  EXPECT_EQ(ipmi.Find("SYSTEM_TEMP")->units, "degC");
  EXPECT_EQ(ipmi.Find("BOARD_POWER")->value_type, ComponentEvent::Type::kSigned);
  EXPECT_EQ(ipmi.Find("Temp")->value_type, ComponentEvent::Type::kFloating);
}

TEST_F(Ipmi, ReadsValues) {
  MakeServer();
  bmc.dcmi_power = 180;
  OpenedSource ipmi = Open();
  const auto values = ipmi.Read({"BOARD_POWER", "SYSTEM_POWER", "SYSTEM_TEMP"});
  EXPECT_EQ(values, (std::vector<std::uint64_t>{168, 180, 23}));
  bmc.readings[15][0] = 77;
  EXPECT_DOUBLE_EQ(ipmi.Floating("Temp:2"), 77);
  EXPECT_DOUBLE_EQ(ipmi.Floating("Pwr_Consumption"), 168);
}

TEST_F(Ipmi, AllOnesAreNoPower) {
  MakeServer();
  bmc.dcmi_power = 180;
  OpenedSource ipmi = Open();
  bmc.dcmi_power = 0xFFFF;
  (void)ipmi.Read({"SYSTEM_POWER"});
  EXPECT_EQ(ipmi.error().code, Errc::kCorrupt);
  bmc.dcmi_power = 181;
  EXPECT_EQ(ipmi.Value("SYSTEM_POWER"), 181);
  bmc.dcmi_power = 0xFFFF;
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 168) << "a BMC without a value: the board's sensor";
  bmc.dcmi_power.reset();
  bmc.manufacturer = 674;
  bmc.dell_power = 0xFFFF;
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 168);
}

TEST_F(Ipmi, AsksASensorOncePerRead) {
  MakeServer();
  OpenedSource ipmi = Open();
  const int before = bmc.asked[kReading];
  (void)ipmi.Read({"BOARD_POWER", "SYSTEM_POWER", "Pwr_Consumption"});
  EXPECT_EQ(bmc.asked[kReading], before + 1);
}

TEST_F(Ipmi, FindsTheServersPowerWithoutDcmi) {
  MakeServer();
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 168);  // the board's
  bmc.dcmi_power = 500;
  bmc.dcmi_active = false;  // known, but not measured
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 168);
  bmc.Add(Sensor(200, "Total", 23, 6), 250);
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 250);  // the chassis'
}

TEST_F(Ipmi, AddsItsPowerSuppliesUp) {
  bmc.Add(Sensor(1, "PS1 Power In", 10, 6, 1), 100);
  bmc.Add(Sensor(2, "PS2 Power In", 10, 6, 2), 90);
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 190);
  bmc.Add(Sensor(3, "PS2 Power Out", 10, 6, 2), 80);  // in or out? no sum of both
  EXPECT_EQ(Open().Find("SYSTEM_POWER"), nullptr);
}

TEST_F(Ipmi, ChoosesATemperatureByEntity) {
  bmc.Add(Sensor(1, "CPU", 3, 1), 80);
  EXPECT_EQ(Open().Find("SYSTEM_TEMP"), nullptr);
  bmc.Add(Sensor(2, "Disk", 26, 1), 40);
  EXPECT_EQ(Open().Value("SYSTEM_TEMP"), 40);
  bmc.Add(Sensor(3, "Inlet", 55, 1), 22);
  EXPECT_EQ(Open().Value("SYSTEM_TEMP"), 22);
  bmc.Add(Sensor(4, "MB", 7, 1), 30);
  EXPECT_EQ(Open().Value("SYSTEM_TEMP"), 30);
}

TEST_F(Ipmi, SpeaksDellOnlyToDell) {
  MakeServer();
  bmc.dell_power = 222;
  bmc.dell_energy_wh = 10;
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 168);
  EXPECT_EQ(bmc.asked[kDell], 0);
  bmc.manufacturer = 674;
  OpenedSource dell = Open();
  EXPECT_EQ(dell.Value("SYSTEM_POWER"), 222);
  EXPECT_EQ(bmc.asked.count({0x30, 0x9D}), 0u);  // its counter is never reset
}

TEST_F(Ipmi, DellsEnergyGrowsOverAResetBySomebodyElse) {
  bmc.manufacturer = 674;
  bmc.dell_energy_wh = 1000;
  OpenedSource dell = Open();
  ASSERT_NE(dell.Find("SYSTEM_ENERGY"), nullptr);
  EXPECT_TRUE(dell.Find("SYSTEM_ENERGY")->accumulates);
  constexpr std::int64_t kWh = 3'600'000'000'000;
  const std::int64_t start = dell.Value("SYSTEM_ENERGY");
  bmc.dell_energy_wh = 1003;
  EXPECT_EQ(dell.Value("SYSTEM_ENERGY"), start + 3 * kWh);
  bmc.dell_energy_wh = 2;
  EXPECT_EQ(dell.Value("SYSTEM_ENERGY"), start + 5 * kWh);
}

TEST_F(Ipmi, LeavesOutSensorsThatAreNotRead) {
  bmc.Add(Sensor(1, "A", 7, 1), 20, 0x80);  // not scanned
  bmc.Add(Sensor(2, "B", 7, 1), 20, 0xE0);  // unavailable
  bmc.Add(Sensor(3, "C", 7, 1), 21);
  bmc.readings.erase(4);
  bmc.records[99] = Sensor(4, "D", 7, 1).Record(99);
  OpenedSource ipmi = Open();
  EXPECT_EQ(ipmi.source().events().size(), 2u);
  EXPECT_EQ(ipmi.Value("SYSTEM_TEMP"), 21);
}

TEST_F(Ipmi, SaysThatASensorStoppedInMidRun) {
  MakeServer();
  OpenedSource ipmi = Open();
  bmc.readings[4] = {0, 0xE0};
  (void)ipmi.Value("SYSTEM_TEMP");
  EXPECT_EQ(ipmi.error().sys_errno, ENODATA);
  EXPECT_EQ(ipmi.Value("BOARD_POWER"), 168);
  bmc.silent.insert(kReading);
  (void)ipmi.Value("BOARD_POWER");
  EXPECT_EQ(ipmi.error().sys_errno, ETIMEDOUT);
  bmc.silent.clear();  // the BMC was restarted
  EXPECT_EQ(ipmi.Value("BOARD_POWER"), 168);
}

TEST_F(Ipmi, ReadsRecordsInPiecesWhereTheBmcMust) {
  for (const std::size_t most : {4, 5, 8, 16, 32}) {
    FakeBmc small;
    small.Add(Sensor(4, "Inlet Temp", 7, 1), 23);
    small.Add(Sensor(5, "Other Temp", 7, 1), 24);
    small.most_bytes = most;
    small.lost_reservations = 2;
    if (most < 5) small.cuts_silently = true;  // not even the header at once
    OpenedSource ipmi(MakeIpmiSource(&small, tree.tree()));
    if (most < 5) continue;  // no such BMC; it only must end
    ASSERT_TRUE(ipmi.opened()) << most << ": " << ipmi.reason();
    EXPECT_NE(ipmi.Find("Other_Temp"), nullptr) << most;
    EXPECT_GE(small.asked[kReserve], 2) << most;
  }
}

TEST_F(Ipmi, ReadsShortAnswersToTheEnd) {
  MakeServer();
  bmc.most_bytes = 7;
  bmc.cuts_silently = true;
  OpenedSource ipmi = Open();
  EXPECT_EQ(ipmi.Value("BOARD_POWER"), 168);
}

TEST_F(Ipmi, GivesUpARepositoryThatChangesAllTheTime) {
  MakeServer();
  bmc.most_bytes = 16;
  bmc.lost_reservations = 1 << 30;
  OpenedSource ipmi = Open();
  EXPECT_FALSE(ipmi.opened());
  EXPECT_EQ(ipmi.error().code, Errc::kConflict);
  EXPECT_LT(bmc.asked[kGetSdr], 100);
}

TEST_F(Ipmi, EndsARepositoryThatLeadsInCircles) {
  MakeServer();
  for (auto& [id, record] : bmc.records) bmc.next_of[id] = 3;
  OpenedSource ipmi = Open();
  EXPECT_LT(bmc.asked[kGetSdr], 10);
  EXPECT_TRUE(ipmi.opened());
}

TEST_F(Ipmi, WorksWithoutARepository) {
  bmc.instead[kGetSdr] = {0xC1};
  bmc.dcmi_power = 180;
  EXPECT_EQ(Open().Value("SYSTEM_POWER"), 180);
}

TEST_F(Ipmi, AsksABusyBmcAgain) {
  MakeServer();
  bmc.busy = 3;
  EXPECT_EQ(Open().Value("BOARD_POWER"), 168);
}

TEST_F(Ipmi, GivesUpABmcThatFallsSilentWhileItsSensorsAreRead) {
  for (std::uint8_t number = 1; number < 100; ++number) bmc.Add(Sensor(number, "T", 7, 1), 20);
  bmc.silent.insert(kReading);  // a second each, on a real one
  OpenedSource ipmi = Open();
  EXPECT_FALSE(ipmi.opened());
  EXPECT_EQ(ipmi.error().sys_errno, ETIMEDOUT);
  EXPECT_EQ(bmc.asked[kReading], 4);
}

TEST_F(Ipmi, SurvivesAnswersOfAnyLength) {
  for (std::size_t cut = 0; cut < 24; ++cut) {
    FakeBmc short_one;
    short_one.manufacturer = 674;
    short_one.dell_power = short_one.dcmi_power = 100;
    short_one.dell_energy_wh = 1;
    short_one.Add(Sensor(1, "T", 7, 1), 20);
    short_one.cut = cut;
    OpenedSource ipmi(MakeIpmiSource(&short_one, tree.tree()));
    for (const DeviceEvent& event : ipmi.source().events()) (void)ipmi.Value(event.name);
  }
}

TEST_F(Ipmi, SaysWhyItIsOff) {
  bmc.refusal = "because";
  OpenedSource refused = Open();
  EXPECT_EQ(refused.reason(), "because");
  EXPECT_EQ(refused.error().code, Errc::kPermission);
  bmc.refusal = "";
  OpenedSource bare = Open();
  EXPECT_NE(bare.reason().find("no readable sensors"), std::string::npos) << bare.reason();
  bmc.silent.insert(kGetSdr);
  OpenedSource silent = Open();
  EXPECT_NE(silent.reason().find("does not answer"), std::string::npos) << silent.reason();
}

}  // namespace
}  // namespace csink

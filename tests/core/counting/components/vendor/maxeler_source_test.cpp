#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/maxeler_reader.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/vendor/opened_source.h"
#include "tests/fakes/vendor/scripted_library.h"

namespace csink {
namespace {

using testing::CapturedStderr;
using testing::OpenedSource;
using testing::ScriptedLibrary;

constexpr const char* kTwoCards =
    "devices = 2; 0.fpga_power = 30; 1.fpga_power = 40.5; 1.vcc1v0_core_V = 1;"
    "1.vcc1v0_core_A = 17; 0.usage = 25; 1.usage = 99.5; 0.main_temperature = 50;"
    "1.main_temperature = 60; 0.interface_temperature = 41; 1.interface_temperature = 42.5";

struct Maxeler : ::testing::Test {
  ScriptedLibrary library{FAKE_MAXELER_LIBRARY};

  // What the library is asked during one read.
  std::string AskedBy(OpenedSource& maxeler, std::initializer_list<std::string_view> names) {
    const std::string log = ::testing::TempDir() + "maxeler_log";
    unlink(log.c_str());
    setenv("FAKE_VENDOR_LOG", log.c_str(), 1);
    (void)maxeler.Read(names);
    unsetenv("FAKE_VENDOR_LOG");
    std::ifstream file(log);
    std::string asked;
    for (std::string line; std::getline(file, line);) {
      if (line == "power" || line == "usage" || line == "monitor") asked += line + " ";
      if (line.find("main_temperature") != std::string::npos) asked += line.substr(0, 2) + " ";
    }
    unlink(log.c_str());
    return asked;
  }
};

TEST_F(Maxeler, HasElevenEventsACard) {
  library.Say(kTwoCards);
  OpenedSource maxeler(MakeMaxelerSource());
  ASSERT_TRUE(maxeler.opened()) << maxeler.reason();
  EXPECT_EQ(maxeler.source().events().size(), 22u);
  const DeviceEvent* const power = maxeler.Find("fpga_POWER:DEVICE1");
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(power->units, "uW");
  EXPECT_EQ(power->value_type, ComponentEvent::Type::kSigned);
}

TEST_F(Maxeler, AsksTheRightCardForEachEvent) {
  library.Say(kTwoCards);
  OpenedSource maxeler(MakeMaxelerSource());
  const auto values =
      maxeler.Read({"fpga_POWER:DEVICE0", "fpga_POWER:DEVICE1", "vcc1v0_c_POWER:DEVICE1",
                    "mmgt_TEMPERATURE:DEVICE0", "mmgt_TEMPERATURE:DEVICE1",
                    "imgt_TEMPERATURE:DEVICE1", "COMPUTE_UTIL:DEVICE0", "COMPUTE_UTIL:DEVICE1"});
  EXPECT_EQ(values, (std::vector<std::uint64_t>{30'000'000, 40'500'000, 20'000'000, 50'000, 60'000,
                                                42'500, 25'000, 99'500}));
}

TEST_F(Maxeler, AsksOnlyForTheGroupsOfTheSet) {
  library.Say(kTwoCards);
  OpenedSource maxeler(MakeMaxelerSource());
  EXPECT_EQ(AskedBy(maxeler, {"fpga_POWER:DEVICE1", "mgt_1v0_POWER:DEVICE0"}), "power ");
  EXPECT_EQ(AskedBy(maxeler, {"COMPUTE_UTIL:DEVICE1"}), "usage ");
  EXPECT_EQ(AskedBy(maxeler, {"imgt_TEMPERATURE:DEVICE1", "mmgt_TEMPERATURE:DEVICE1"}),
            "monitor 1. ");
}

TEST_F(Maxeler, FailsWhereTheAnswerLacksTheValue) {
  library.Say("devices = 1; power_reply = [{\"success\":true,\"data\":{\"engine0\":{}}}]");
  OpenedSource maxeler(MakeMaxelerSource());
  (void)maxeler.Value("fpga_POWER:DEVICE0");
  EXPECT_EQ(maxeler.error().code, Errc::kSystem);
  library.Say("devices = 1; power_reply = nonsense");
  (void)maxeler.Value("fpga_POWER:DEVICE0");
  EXPECT_EQ(maxeler.error().code, Errc::kCorrupt);
  library.Say("devices = 1; power = error:1");
  (void)maxeler.Value("fpga_POWER:DEVICE0");
  EXPECT_EQ(maxeler.error().code, Errc::kSystem);
}

TEST_F(Maxeler, SaysWhyItIsOff) {
  OpenedSource absent(
      MakeBoundedSource(MakeMaxelerReader("/nowhere/libmaxeleros.so"), kMaxelerPatience));
  EXPECT_NE(absent.reason().find("MaxelerOS"), std::string::npos);
  EXPECT_EQ(absent.error().code, Errc::kNotFound);
  library.Say("connect = error:1");
  OpenedSource silent(MakeMaxelerSource());
  EXPECT_NE(silent.reason().find("maxelerosd"), std::string::npos) << silent.reason();
  library.Say("devices = 0");
  OpenedSource none(MakeMaxelerSource());
  EXPECT_EQ(none.reason(), "no Maxeler card");
  EXPECT_EQ(none.error().code, Errc::kNoEvent);
}

TEST_F(Maxeler, ComesBackFromADaemonThatHangs) {
  library.Say("devices = 1; usage = block");
  VendorPatience patience = kMaxelerPatience;
  patience.read_ns = 100'000'000;
  OpenedSource maxeler(MakeBoundedSource(MakeMaxelerReader(FAKE_MAXELER_LIBRARY), patience));
  CapturedStderr said;
  (void)maxeler.Value("COMPUTE_UTIL:DEVICE0");
  EXPECT_EQ(maxeler.error().sys_errno, ETIMEDOUT);
}

}  // namespace
}  // namespace csink

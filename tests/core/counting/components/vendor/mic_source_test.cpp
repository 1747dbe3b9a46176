#include <gtest/gtest.h>

#include <bit>
#include <cerrno>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/mic_reader.h"
#include "core/counting/counters/counter_set.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/vendor/opened_source.h"
#include "tests/fakes/vendor/scripted_library.h"

namespace csink {
namespace {

using testing::CapturedStderr;
using testing::OpenedSource;
using testing::ScriptedLibrary;

// 60 cores of 4 threads: a jiffy of one of 240 processors is 10 ms / 240.
constexpr const char* kCard =
    "devices = 2; *.idle = 5000+6000; *.sys = 100+2400; *.nice = 7; *.user = 0+15600;"
    "*.total_memory = 8000; *.free_memory = 3000; *.pcie = 10; *.c2x3 = 20; *.c2x4 = 30;"
    "*.vccp = 40; *.vddg = 50; 0.vddq = 60; 1.vddq = 61; *.die_temp = 70; *.gddr_temp = 71;"
    "*.fanin_temp = 72; *.fanout_temp = 73; *.vccp_temp = 74; *.vddg_temp = 75; *.vddq_temp = 76;"
    "*.core_frequency = 1100000; *.memory_frequency = 2750000; *.core_count = 60";

struct Mic : ::testing::Test {
  ScriptedLibrary library{FAKE_MIC_LIBRARY};
};

TEST_F(Mic, Has22EventsACard) {
  library.Say(kCard);
  OpenedSource mic(MakeMicSource());
  ASSERT_TRUE(mic.opened()) << mic.reason();
  int shown = 0;
  for (const DeviceEvent& event : mic.source().events()) shown += !event.hidden;
  EXPECT_EQ(shown, 44);
  EXPECT_EQ(mic.Find("UTIL:DEVICE1")->value_type, ComponentEvent::Type::kFloating);
  EXPECT_EQ(mic.Find("MEM_USED:DEVICE0")->value_type, ComponentEvent::Type::kUnsigned);
}

TEST_F(Mic, ReadsEachGroup) {
  library.Say(kCard);
  OpenedSource mic(MakeMicSource());
  const auto values =
      mic.Read({"POWER_MIC:DEVICE0", "POWER_VDDQ:DEVICE0", "POWER_VDDQ:DEVICE1", "TEMP_DIE:DEVICE0",
                "TEMP_GDDR:DEVICE0", "TEMP_VDDQ:DEVICE1", "FREQ_CORE:DEVICE0", "FREQ_MEM:DEVICE0",
                "MEM_TOTAL:DEVICE0", "MEM_USED:DEVICE0", "MEM_FREE:DEVICE0"});
  EXPECT_EQ(values, (std::vector<std::uint64_t>{60, 60, 61, 70, 71, 76, 1100000, 2750000, 8000,
                                                5000, 3000}));
}

TEST_F(Mic, TellsTimesSinceTheSetsLastRead) {
  library.Say(kCard);
  auto component = MakeDeviceComponent({"micknc", "Xeon Phi"}, MakeMicSource());
  EventComplaint complaint;
  std::vector<CounterRequest> wanted;
  for (const char* name : {"TIME_ACTIVE:DEVICE0", "TIME_IDLE:DEVICE0", "UTIL:DEVICE0"}) {
    const auto event = component->Find(name, complaint);
    ASSERT_TRUE(event) << name;
    wanted.push_back({*event, {}});
  }
  EXPECT_FALSE(component->Find("ACTIVE_JIFFIES:DEVICE0", complaint));
  const auto set = component->MakeCounterSet();
  ASSERT_TRUE(set->Configure(wanted, {}));
  ASSERT_TRUE(set->Start());
  for (int i = 0; i < 3; ++i) {  // each a second of 240 processors, three quarters of it in work
    long long values[3] = {};
    ASSERT_TRUE(set->Read(values));
    EXPECT_DOUBLE_EQ(std::bit_cast<double>(values[0]), 750);
    EXPECT_DOUBLE_EQ(std::bit_cast<double>(values[1]), 250);
    EXPECT_DOUBLE_EQ(std::bit_cast<double>(values[2]), 75);
  }
}

TEST_F(Mic, JiffiesGoOnOverARestartOfTheCard) {
  library.Say(
      "devices = 1; *.idle = 1000 1500 20 30; *.sys = 0; *.nice = 0; *.user = 0;"
      "*.core_count = 60");
  OpenedSource mic(MakeMicSource());
  EXPECT_EQ(mic.Value("IDLE_JIFFIES:DEVICE0"), 500);
  EXPECT_EQ(mic.Value("IDLE_JIFFIES:DEVICE0"), 500);
  EXPECT_EQ(mic.Value("IDLE_JIFFIES:DEVICE0"), 510);
  EXPECT_TRUE(mic.opened()) << mic.reason() << mic.error().what;
}

TEST_F(Mic, FailsWhenACardIsLost) {
  library.Say(
      "devices = 2; *.idle = 1; *.sys = 1; *.nice = 1; *.user = 1; *.die_temp = 50;"
      "*.gddr_temp = 1; *.fanin_temp = 1; *.fanout_temp = 1; *.vccp_temp = 1;"
      "*.vddg_temp = 1; *.vddq_temp = 1; 0.thermal = 0 error:5");
  OpenedSource mic(MakeMicSource());
  EXPECT_EQ(mic.Value("TEMP_DIE:DEVICE0"), 50);
  (void)mic.Value("TEMP_DIE:DEVICE0");
  EXPECT_EQ(mic.error().code, Errc::kSystem);
  EXPECT_EQ(mic.Value("TEMP_DIE:DEVICE1"), 50);
}

TEST_F(Mic, SaysWhyItIsOff) {
  OpenedSource absent(MakeBoundedSource(MakeMicReader("/nowhere/libmicmgmt.so.0"), kMicPatience));
  EXPECT_NE(absent.reason().find("mpss-micmgmt"), std::string::npos) << absent.reason();
  library.Say("list = error:1");
  OpenedSource no_driver(MakeMicSource());
  EXPECT_NE(no_driver.reason().find("module mic"), std::string::npos) << no_driver.reason();
  library.Say("devices = 0");
  OpenedSource none(MakeMicSource());
  EXPECT_EQ(none.reason(), "no Xeon Phi in this machine");
  library.Say("devices = 1; 0.open = error:2");
  OpenedSource refused(MakeMicSource());
  EXPECT_NE(refused.reason().find("mpssd"), std::string::npos) << refused.reason();
  EXPECT_TRUE(refused.source().events().empty());
}

TEST_F(Mic, ComesBackFromALibraryThatHangs) {
  library.Say("devices = 1; *.idle = 1; *.sys = 1; *.nice = 1; *.user = 1; 0.open = block");
  VendorPatience patience = kMicPatience;
  patience.open_ns = 100'000'000;
  CapturedStderr said;
  OpenedSource mic(MakeBoundedSource(MakeMicReader(FAKE_MIC_LIBRARY), patience));
  EXPECT_FALSE(mic.opened());
  EXPECT_EQ(mic.error().sys_errno, ETIMEDOUT);
}

}  // namespace
}  // namespace csink

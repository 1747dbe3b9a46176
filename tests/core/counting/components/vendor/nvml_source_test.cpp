#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <set>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/nvml_reader.h"
#include "core/counting/components/vendor/separate_source.h"
#include "core/counting/counters/counter_set.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/vendor/opened_source.h"
#include "tests/fakes/vendor/scripted_library.h"

namespace csink {
namespace {

using testing::CapturedStderr;
using testing::OpenedSource;
using testing::ScriptedLibrary;

constexpr const char* kOneCard =
    "devices = 1; 0.name = Tesla K20c; 0.power = 25000 26000; 0.temperature = 40+5;"
    "0.total_memory = 5000; 0.used_memory = 1200; 0.gpu_utilization = 70;"
    "0.memory_utilization = 30; 0.processes = 3; 0.energy = 1000+500; 0.pstate = 8;"
    "0.max_sm_clock = 758; 0.corrected_ecc = 4; 0.uncorrected_ecc = 1";

struct Nvml : ::testing::Test {
  ScriptedLibrary library{FAKE_NVML_LIBRARY};
};

TEST_F(Nvml, NamesEventsAsApapiAndAsPapiDo) {
  library.Say(kOneCard);
  OpenedSource nvml(MakeNvmlSource());
  ASSERT_TRUE(nvml.opened()) << nvml.reason();
  EXPECT_EQ(nvml.source().support_version(), "535.1.fake");
  const DeviceEvent* const power = nvml.Find("Tesla_K20c:power");
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(nvml.Find("Tesla_K20c:device_0:power"), power);
  EXPECT_EQ(power->units, "mW");
  EXPECT_EQ(power->value_type, ComponentEvent::Type::kSigned);
  EXPECT_FALSE(power->accumulates);
}

TEST_F(Nvml, ListsOnlyWhatTheCardAnswers) {
  library.Say(kOneCard);
  OpenedSource nvml(MakeNvmlSource());
  for (const char* absent : {"fan_speed", "graphics_clock", "sm_clock", "graphics_max_clock"}) {
    EXPECT_EQ(nvml.Find(std::string("Tesla_K20c:") + absent), nullptr) << absent;
  }
  EXPECT_EQ(nvml.source().events().size(), 13u);
}

TEST_F(Nvml, ReadsEveryKindOfValue) {
  library.Say(kOneCard);
  OpenedSource nvml(MakeNvmlSource());
  const auto values = nvml.Read(
      {"Tesla_K20c:total_memory", "Tesla_K20c:allocated_memory", "Tesla_K20c:unallocated_memory",
       "Tesla_K20c:gpu_utilization", "Tesla_K20c:memory_utilization", "Tesla_K20c:processes",
       "Tesla_K20c:pstate", "Tesla_K20c:sm_max_clock", "Tesla_K20c:total_ecc_errors",
       "Tesla_K20c:total_double_ecc_errors"});
  EXPECT_EQ(values, (std::vector<std::uint64_t>{5000, 1200, 3800, 70, 30, 3, 8, 758, 4, 1}));
}

TEST_F(Nvml, ReadsValuesAsTheyChange) {
  library.Say(kOneCard);
  OpenedSource nvml(MakeNvmlSource());  // asks once
  EXPECT_EQ(nvml.Value("Tesla_K20c:power"), 26000);
  EXPECT_EQ(nvml.Value("Tesla_K20c:temperature"), 45);
  EXPECT_EQ(nvml.Value("Tesla_K20c:temperature"), 50);
}

TEST_F(Nvml, TellsTheEnergyCounterInNanojoules) {
  library.Say(kOneCard);
  OpenedSource nvml(MakeNvmlSource());
  const DeviceEvent* const energy = nvml.Find("Tesla_K20c:energy");
  ASSERT_NE(energy, nullptr);
  EXPECT_TRUE(energy->accumulates);
  EXPECT_EQ(energy->units, "nJ");
  EXPECT_EQ(nvml.Value("Tesla_K20c:energy"), 1'500'000'000);
  EXPECT_EQ(nvml.Value("Tesla_K20c:energy"), 2'000'000'000);
}

TEST_F(Nvml, ReadsThePowerOfThisMoment) {
  library.Say("devices = 2; *.power = 300000; 0.name = H100; 0.instant_power = 412000 413000");
  OpenedSource nvml(MakeNvmlSource());
  EXPECT_EQ(nvml.Value("H100:power_instant"), 413'000);
  EXPECT_EQ(nvml.Find("H100:power_instant")->units, "mW");
  EXPECT_EQ(nvml.Find("H100:device_1:power_instant"), nullptr) << "the other card has none";
  library.Say("devices = 1; 0.instant_power = 4294967280");
  (void)nvml.Read({"H100:power_instant"});
  EXPECT_EQ(nvml.error().code, Errc::kCorrupt);
}

TEST_F(Nvml, RefusesAPowerThatNoBoardDraws) {
  library.Say("devices = 1; 0.name = H100; 0.power = 350000 4294967280 351000; 0.temperature = 40");
  OpenedSource nvml(MakeNvmlSource());
  ASSERT_TRUE(nvml.opened()) << nvml.reason();
  (void)nvml.Read({"H100:temperature", "H100:power"});
  EXPECT_EQ(nvml.error().code, Errc::kCorrupt);
  EXPECT_NE(std::string(nvml.error().what).find("power that no board can draw"), std::string::npos);
  EXPECT_EQ(nvml.Value("H100:power"), 351000);
}

TEST_F(Nvml, RefusesAnEnergyThatStepsBackOrJumps) {
  library.Say(
      "devices = 1; 0.name = H100;"
      "0.energy = 7000000 7000000 0 7000100 9007199254740992 7000200 50 150 250");
  OpenedSource nvml(MakeNvmlSource());  // asks once
  const auto refused = [&] {
    (void)nvml.Read({"H100:energy"});
    return nvml.error().code == Errc::kCorrupt;
  };
  EXPECT_EQ(nvml.Value("H100:energy"), 7'000'000'000'000);
  EXPECT_TRUE(refused());
  EXPECT_EQ(nvml.Value("H100:energy"), 7'000'100'000'000);
  EXPECT_TRUE(refused());
  EXPECT_EQ(nvml.Value("H100:energy"), 7'000'200'000'000);
  EXPECT_TRUE(refused());  // the driver was loaded again
  EXPECT_EQ(nvml.Value("H100:energy"), 7'000'300'000'000);
  EXPECT_EQ(nvml.Value("H100:energy"), 7'000'400'000'000);
}

TEST_F(Nvml, TellsEqualCardsApart) {
  library.Say(
      "devices = 3; *.name = A100; 1.name = Titan X; 0.power = 1; 1.power = 2; 2.power = 3");
  OpenedSource nvml(MakeNvmlSource());
  ASSERT_TRUE(nvml.opened());
  std::set<std::string> names;
  for (const DeviceEvent& event : nvml.source().events()) names.insert(event.name);
  EXPECT_EQ(names, (std::set<std::string>{"A100:power", "Titan_X:power", "A100:device_2:power"}));
  const auto values = nvml.Read(
      {"A100:power", "A100:device_0:power", "Titan_X:device_1:power", "A100:device_2:power"});
  EXPECT_EQ(values, (std::vector<std::uint64_t>{1, 1, 2, 3}));
}

TEST_F(Nvml, AsksACardOncePerReadAndOnlyWhatIsWanted) {
  library.Say(kOneCard);
  OpenedSource nvml(MakeNvmlSource());
  const std::string log = ::testing::TempDir() + "nvml_log";
  unlink(log.c_str());
  setenv("FAKE_VENDOR_LOG", log.c_str(), 1);
  (void)nvml.Read({"Tesla_K20c:allocated_memory", "Tesla_K20c:unallocated_memory",
                   "Tesla_K20c:device_0:allocated_memory"});
  unsetenv("FAKE_VENDOR_LOG");
  std::ifstream file(log);
  const std::string asked(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(asked, "0.total_memory\n0.used_memory\n");
  unlink(log.c_str());
}

TEST_F(Nvml, SaysThatACardIsLostInMidRunAndKeepsTheOther) {
  library.Say("devices = 2; 0.name = A; 1.name = B; 0.power = 5 6 error:15; 1.power = 7");
  OpenedSource nvml(MakeNvmlSource());
  EXPECT_EQ(nvml.Value("A:power"), 6);
  (void)nvml.Value("A:power");
  EXPECT_EQ(nvml.error().code, Errc::kSystem);
  EXPECT_EQ(nvml.error().sys_errno, ENODEV);
  EXPECT_EQ(nvml.Value("B:power"), 7);
  EXPECT_EQ(nvml.error().code, Errc::kOk);
}

TEST_F(Nvml, ALostCardLeavesTheOtherOneInTheSameRead) {
  library.Say(
      "devices = 2; 0.name = A; 1.name = B; *.temperature = 40; 0.power = 5; "
      "1.power = 7 7 error:15 8");
  OpenedSource nvml(MakeNvmlSource());
  (void)nvml.Read({"B:power", "A:power", "B:temperature", "A:temperature"});
  ASSERT_EQ(nvml.error().code, Errc::kOk);
  const auto values = nvml.Read({"B:power", "A:power", "B:temperature", "A:temperature"});
  EXPECT_EQ(nvml.errors()[0].sys_errno, ENODEV);
  EXPECT_EQ(nvml.errors()[1].code, Errc::kOk);
  EXPECT_EQ(values[1], 5u);
  EXPECT_EQ(nvml.errors()[2].sys_errno, ENODEV) << "a lost card is not asked again in this read";
  EXPECT_EQ(nvml.errors()[3].code, Errc::kOk);
  EXPECT_EQ(values[3], 40u);
  EXPECT_EQ(nvml.Read({"B:power", "A:power"})[0], 8u);
  EXPECT_EQ(nvml.error().code, Errc::kOk) << "the card has come back";
}

TEST_F(Nvml, SaysThatPermissionWentAway) {
  library.Say("devices = 1; 0.name = A; 0.power = 5 error:4");
  OpenedSource nvml(MakeNvmlSource());
  (void)nvml.Value("A:power");
  EXPECT_EQ(nvml.error().code, Errc::kPermission);
}

TEST_F(Nvml, LeavesOutACardThatThisUserMayNotUse) {
  library.Say("devices = 2; *.name = A; 0.handle = error:4; *.power = 5");
  OpenedSource nvml(MakeNvmlSource());
  ASSERT_TRUE(nvml.opened());
  EXPECT_EQ(nvml.source().events().size(), 1u);
  EXPECT_NE(nvml.Find("A:device_1:power"), nullptr);  // the driver's number, not ours
  EXPECT_EQ(nvml.source().missing().find("GPU 0 is left out: no permission"), 0u)
      << nvml.source().missing();
}

TEST_F(Nvml, SaysWhichCardsAreLostBeforeTheStart) {
  // The first gives no handle, the third gives one and answers nothing, the fourth has no readings.
  library.Say(
      "devices = 4; *.name = A; 0.handle = error:15; 1.power = 5; 2.power = error:15; "
      "2.temperature = error:15; 3.uuid = none");
  for (const bool separate : {false, true}) {
    OpenedSource nvml(separate
                          ? MakeSeparateSource(MakeNvmlReader({FAKE_NVML_LIBRARY}), kNvmlPatience)
                          : MakeBoundedSource(MakeNvmlReader({FAKE_NVML_LIBRARY}), kNvmlPatience));
    ASSERT_TRUE(nvml.opened()) << nvml.reason();
    const std::string missing = nvml.source().missing();
    EXPECT_EQ(missing.find("GPU 0 is left out: the GPU is lost"), 0u) << missing;
    EXPECT_NE(missing.find("; GPU 2 is left out: the GPU is lost"), std::string::npos) << missing;
    EXPECT_EQ(missing.find("GPU 1"), std::string::npos) << missing;
    EXPECT_EQ(missing.find("GPU 3"), std::string::npos) << missing;
  }
  library.Say("devices = 2; *.name = A; *.power = 5");
  OpenedSource all(MakeNvmlSource());
  EXPECT_EQ(all.source().missing(), "");
}

TEST_F(Nvml, SaysWhatIsAbsent) {
  OpenedSource nvml(
      MakeBoundedSource(MakeNvmlReader({"/nowhere/libnvidia-ml.so.1"}), kNvmlPatience));
  EXPECT_FALSE(nvml.opened());
  EXPECT_EQ(nvml.error().code, Errc::kNotFound);
  EXPECT_NE(nvml.reason().find("libnvidia-ml1"), std::string::npos) << nvml.reason();
}

TEST_F(Nvml, SaysWhyItDoesNotStart) {
  const struct {
    const char* script;
    const char* word;
  } cases[] = {{"init = error:9", "modprobe nvidia"},
               {"init = error:4", "/dev/nvidiactl"},
               {"init = error:18", "different versions"},
               {"init = error:3", "Not Supported"},
               {"devices = 0", "no GPU"},
               {"devices = 1; 0.handle = error:8", "power cables"},
               {"devices = 1; 0.handle = error:15", "lost"},
               {"devices = 1; 0.name = A", "provide no readings"},
               {"devices = 1; count = error:999", "NVML cannot be initialized"}};
  for (const auto& [script, word] : cases) {
    library.Say(script);
    OpenedSource nvml(MakeNvmlSource());
    EXPECT_FALSE(nvml.opened()) << script;
    EXPECT_NE(nvml.reason().find(word), std::string::npos) << script << ": " << nvml.reason();
  }
}

TEST_F(Nvml, ComesBackFromADriverThatHangs) {
  library.Say("devices = 2; 0.name = A; 1.name = B; 0.power = 5 block; 1.power = 6");
  VendorPatience patience = kNvmlPatience;
  patience.read_ns = 100'000'000;
  OpenedSource nvml(MakeBoundedSource(MakeNvmlReader({FAKE_NVML_LIBRARY}), patience));
  ASSERT_TRUE(nvml.opened());
  CapturedStderr said;
  (void)nvml.Value("A:power");
  EXPECT_EQ(nvml.error().sys_errno, ETIMEDOUT);
  (void)nvml.Value("B:power");  // the same library: lost with it, and told at once
  EXPECT_EQ(nvml.error().sys_errno, ETIMEDOUT);
  EXPECT_EQ(said.lines().size(), 1u);
}

TEST_F(Nvml, CountsThroughTheComponent) {
  library.Say("devices = 1; 0.name = A; 0.power = 100+10; 0.energy = 1000+500");
  auto component = MakeDeviceComponent({"nvml", "GPUs"}, MakeNvmlSource());
  EventComplaint complaint;
  const auto power = component->Find("A:device_0:power", complaint);
  const auto energy = component->Find("A:energy", complaint);
  ASSERT_TRUE(power);
  ASSERT_TRUE(energy);
  const auto set = component->MakeCounterSet();
  const CounterRequest wanted[] = {{*power, {}}, {*energy, {}}};
  ASSERT_TRUE(set->Configure(wanted, {}));
  ASSERT_TRUE(set->Start());
  long long values[2] = {};
  ASSERT_TRUE(set->Read(values));
  EXPECT_GE(values[0], 110);          // as it is
  EXPECT_EQ(values[1], 500'000'000);  // what it grew by
  ASSERT_TRUE(set->Stop());
}

}  // namespace
}  // namespace csink

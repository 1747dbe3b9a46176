#include <gtest/gtest.h>

#include <cerrno>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/level_zero_reader.h"
#include "core/counting/components/vendor/separate_source.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/vendor/opened_source.h"
#include "tests/fakes/vendor/scripted_library.h"

namespace csink {
namespace {

using testing::CapturedStderr;
using testing::OpenedSource;
using testing::ScriptedLibrary;

struct LevelZero : ::testing::Test {
  ScriptedLibrary library{FAKE_LEVEL_ZERO_LIBRARY};
};

TEST_F(LevelZero, TakesTheDomainThatContainsTheOthers) {
  library.Say(
      "devices = 3; 0.card_energy = 900; 0.device_energy = 800; 0.part0_energy = 400;"
      "1.part0_energy = 410; 1.part1_energy = 420; 1.device_energy = 850;"
      "2.part0_energy = 430; 2.part1_energy = 440");
  OpenedSource gpus(MakeLevelZeroSource());
  ASSERT_TRUE(gpus.opened()) << gpus.reason();
  EXPECT_EQ(gpus.source().events().size(), 4u);
  const auto values = gpus.Read({"energy:device_0", "energy:device_1", "energy:device_2:domain_0",
                                 "energy:device_2:domain_1"});
  EXPECT_EQ(values, (std::vector<std::uint64_t>{900, 850, 430, 440}));
  EXPECT_EQ(gpus.Find("energy:device_0")->units, "uJ");
  EXPECT_TRUE(gpus.Find("energy:device_0")->accumulates);
}

TEST_F(LevelZero, AnEnergyThatStepsBackOrIsHugeIsRefused) {
  library.Say("devices = 1; 0.card_energy = 7000000 7000000 0 7000100 9e17 7000200");
  OpenedSource gpus(MakeLevelZeroSource());  // asks once
  EXPECT_EQ(gpus.Value("energy:device_0"), 7'000'000);
  (void)gpus.Value("energy:device_0");
  EXPECT_EQ(gpus.error().code, Errc::kCorrupt);
  EXPECT_EQ(gpus.Value("energy:device_0"), 7'000'100);
  (void)gpus.Value("energy:device_0");
  EXPECT_EQ(gpus.error().code, Errc::kCorrupt);
  EXPECT_EQ(gpus.Value("energy:device_0"), 7'000'200);
}

TEST_F(LevelZero, AGpuThatIsLostIsAnErrorAndTheOtherIsRead) {
  library.Say("devices = 2; 0.card_energy = 5 6 error:1879048193; 1.card_energy = 7");
  OpenedSource gpus(MakeLevelZeroSource());
  EXPECT_EQ(gpus.Value("energy:device_0"), 6);
  (void)gpus.Value("energy:device_0");
  EXPECT_EQ(gpus.error().sys_errno, ENODEV);
  EXPECT_EQ(gpus.Value("energy:device_1"), 7);
}

TEST_F(LevelZero, AGpuThatRefusesAtOpenIsLeftOut) {
  library.Say(
      "devices = 3; 0.card_energy = error:1879113728; 1.card_energy = 5;"
      "2.domains = error:1879048193; 2.device_energy = 7");
  OpenedSource gpus(MakeLevelZeroSource());
  ASSERT_TRUE(gpus.opened()) << gpus.reason();
  EXPECT_EQ(gpus.source().events().size(), 1u);
  EXPECT_NE(gpus.Find("energy:device_1"), nullptr) << "the numbers of the others stay";
}

TEST_F(LevelZero, ALibraryThatHangsIsGivenUp) {
  library.Say("devices = 1; 0.card_energy = 5 block");
  VendorPatience patience = kLevelZeroPatience;
  patience.read_ns = 100'000'000;
  OpenedSource gpus(MakeBoundedSource(MakeLevelZeroReader({FAKE_LEVEL_ZERO_LIBRARY}), patience));
  CapturedStderr captured;
  (void)gpus.Value("energy:device_0");
  EXPECT_EQ(gpus.error().sys_errno, ETIMEDOUT);
  EXPECT_NE(captured.text().find("level_zero: Intel's library does not answer"), std::string::npos);
}

TEST_F(LevelZero, ALibraryThatCrashesEndsItsOwnProcess) {
  library.Say("devices = 1; 0.card_energy = 5 abort");
  OpenedSource gpus(
      MakeSeparateSource(MakeLevelZeroReader({FAKE_LEVEL_ZERO_LIBRARY}), kLevelZeroPatience));
  ASSERT_TRUE(gpus.opened()) << gpus.reason();
  CapturedStderr captured;
  (void)gpus.Value("energy:device_0");
  EXPECT_EQ(gpus.error().sys_errno, EIO);
}

TEST_F(LevelZero, SaysWhyItIsOff) {
  const struct {
    const char* script;
    const char* word;
  } cases[] = {{"init = error:2013265921", "no driver with sysman"},
               {"init = error:1879113728", "group render"},
               {"init = error:7", "error 7"},
               {"devices = 0", "no GPU with an energy counter"},
               {"devices = 1; 0.name = A", "no GPU with an energy counter"}};
  for (const auto& [script, word] : cases) {
    library.Say(script);
    OpenedSource gpus(MakeLevelZeroSource());
    EXPECT_FALSE(gpus.opened()) << script;
    EXPECT_NE(gpus.reason().find(word), std::string::npos) << script << ": " << gpus.reason();
  }
  OpenedSource none(
      MakeBoundedSource(MakeLevelZeroReader({"/nowhere/lib.so"}), kLevelZeroPatience));
  EXPECT_EQ(none.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace csink

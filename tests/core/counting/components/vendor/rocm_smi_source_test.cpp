#include <gtest/gtest.h>

#include <cerrno>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/vendor/rocm_smi_reader.h"
#include "core/counting/components/vendor/separate_source.h"
#include "tests/fakes/captured_stderr.h"
#include "tests/fakes/vendor/opened_source.h"
#include "tests/fakes/vendor/scripted_library.h"

namespace csink {
namespace {

using testing::CapturedStderr;
using testing::OpenedSource;
using testing::ScriptedLibrary;

struct RocmSmi : ::testing::Test {
  ScriptedLibrary library{FAKE_ROCM_SMI_LIBRARY};
};

TEST_F(RocmSmi, ListsWhatEachCardAnswers) {
  library.Say(
      "devices = 2; 0.name = MI250X; 0.energy = 1000 2000; 0.resolution = 16;"
      "0.average_power = 300000000; 1.current_power = 150000000");
  OpenedSource cards(MakeRocmSmiSource());
  ASSERT_TRUE(cards.opened()) << cards.reason();
  EXPECT_EQ(cards.source().events().size(), 3u);
  const DeviceEvent* const energy = cards.Find("energy:device_0");
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ(energy->units, "uJ");
  EXPECT_TRUE(energy->accumulates);
  EXPECT_NE(energy->description.find("(MI250X)"), std::string::npos);
  EXPECT_EQ(cards.Value("energy:device_0"), 32'000) << "2000 counts of 16 uJ";
  EXPECT_EQ(cards.Value("power:device_0"), 300'000'000);
  EXPECT_EQ(cards.Value("power:device_1"), 150'000'000) << "by the function of newer cards";
}

TEST_F(RocmSmi, AnEnergyThatStepsBackOrIsHugeIsRefused) {
  library.Say("0.resolution = 1; 0.energy = 7000000 7000000 0 7000100 9e17 7000200");
  OpenedSource cards(MakeRocmSmiSource());  // asks once
  EXPECT_EQ(cards.Value("energy:device_0"), 7'000'000);
  (void)cards.Value("energy:device_0");
  EXPECT_EQ(cards.error().code, Errc::kCorrupt);
  EXPECT_EQ(cards.Value("energy:device_0"), 7'000'100);
  (void)cards.Value("energy:device_0");
  EXPECT_EQ(cards.error().code, Errc::kCorrupt);
  EXPECT_EQ(cards.Value("energy:device_0"), 7'000'200);
}

TEST_F(RocmSmi, AResolutionThatIsNoNumberOrNegativeIsRefused) {
  library.Say("0.energy = 1000000; 0.resolution = 1 nan -1 inf 1");
  OpenedSource cards(MakeRocmSmiSource());
  for (const char* wrong : {"nan", "-1", "inf"}) {
    (void)cards.Value("energy:device_0");
    EXPECT_EQ(cards.error().code, Errc::kCorrupt) << wrong;
  }
  EXPECT_EQ(cards.Value("energy:device_0"), 1'000'000);
}

TEST_F(RocmSmi, APowerThatNoBoardDrawsIsRefused) {
  library.Say("0.average_power = 300000000 18446744073709000000 301000000");
  OpenedSource cards(MakeRocmSmiSource());
  (void)cards.Value("power:device_0");
  EXPECT_EQ(cards.error().code, Errc::kCorrupt);
  EXPECT_EQ(cards.Value("power:device_0"), 301'000'000);
}

TEST_F(RocmSmi, ACardThatVanishesIsAnErrorAndTheOtherIsRead) {
  library.Say("devices = 2; 0.average_power = 5 6 error:3; 1.average_power = 7");
  OpenedSource cards(MakeRocmSmiSource());
  EXPECT_EQ(cards.Value("power:device_0"), 6);
  (void)cards.Value("power:device_0");
  EXPECT_EQ(cards.error().code, Errc::kSystem);
  EXPECT_EQ(cards.Value("power:device_1"), 7);
}

TEST_F(RocmSmi, ALibraryThatHangsIsGivenUp) {
  library.Say("0.average_power = 5 block");
  VendorPatience patience = kRocmSmiPatience;
  patience.read_ns = 100'000'000;
  OpenedSource cards(MakeBoundedSource(MakeRocmSmiReader({FAKE_ROCM_SMI_LIBRARY}), patience));
  CapturedStderr captured;
  (void)cards.Value("power:device_0");
  EXPECT_EQ(cards.error().sys_errno, ETIMEDOUT);
  EXPECT_NE(captured.text().find("rocm_smi: AMD's library does not answer"), std::string::npos);
}

TEST_F(RocmSmi, ALibraryThatCrashesEndsItsOwnProcess) {
  library.Say("0.average_power = 5 abort");
  OpenedSource cards(
      MakeSeparateSource(MakeRocmSmiReader({FAKE_ROCM_SMI_LIBRARY}), kRocmSmiPatience));
  ASSERT_TRUE(cards.opened()) << cards.reason();
  CapturedStderr captured;
  (void)cards.Value("power:device_0");
  EXPECT_EQ(cards.error().sys_errno, EIO);
}

TEST_F(RocmSmi, SaysWhichCardIsLostBeforeTheStart) {
  library.Say("devices = 2; 0.average_power = 5; 1.average_power = error:8; 1.power = error:8");
  OpenedSource cards(MakeRocmSmiSource());
  ASSERT_TRUE(cards.opened()) << cards.reason();
  EXPECT_EQ(cards.source().missing(), "GPU 1 is left out: status 8");
}

TEST_F(RocmSmi, SaysWhyItIsOff) {
  const struct {
    const char* script;
    const char* word;
  } cases[] = {{"init = error:8", "modprobe amdgpu"},
               {"init = error:5", "status 5"},
               {"devices = 0", "no GPU of AMD"},
               {"devices = 1; count = error:6", "cannot list"},
               {"devices = 1; 0.name = A", "neither energy nor power"}};
  for (const auto& [script, word] : cases) {
    library.Say(script);
    OpenedSource cards(MakeRocmSmiSource());
    EXPECT_FALSE(cards.opened()) << script;
    EXPECT_NE(cards.reason().find(word), std::string::npos) << script << ": " << cards.reason();
  }
  OpenedSource none(MakeBoundedSource(MakeRocmSmiReader({"/nowhere/lib.so"}), kRocmSmiPatience));
  EXPECT_EQ(none.error().code, Errc::kNotFound);
}

}  // namespace
}  // namespace csink

#include "core/counting/overflow/source_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace csink {
namespace {

using Kind = OverflowSourceKind;

TEST(IsSigtrapRelease, BeginsWith61) {
  for (const char* release : {"6.1.0-25-amd64", "6.18.44", "6.1", "7.0-rc1", "10.2.3"}) {
    EXPECT_TRUE(IsSigtrapRelease(release)) << release;
  }
  for (const char* release : {"6.0.19", "5.15.0-91-generic", "4.18.0-553.el8", "", "x.y", "6"}) {
    EXPECT_FALSE(IsSigtrapRelease(release)) << release;
  }
}

SourceChoice Choose(SourceFacts facts, bool kernel_mode = false,
                    OverflowMode mode = OverflowMode::kHardware, Kind forced = Kind::kAutomatic) {
  OverflowArming arming{0, 1, 10};
  arming.kernel_mode = kernel_mode;
  auto choice = ChooseSource(facts, {&arming, 1}, mode, forced);
  return choice ? *choice : SourceChoice{Kind::kAutomatic, choice.error().what};
}

TEST(ChooseSource, TakesTheFirstThatIsSoundHere) {
  EXPECT_EQ(Choose({true, false, false}).kind, Kind::kSigtrap);
  EXPECT_EQ(Choose({false, false, false}).kind, Kind::kSignal);
  EXPECT_EQ(Choose({true, true, false}).kind, Kind::kSignal);
  EXPECT_EQ(Choose({true, false, true}).kind, Kind::kSignal);
  EXPECT_EQ(Choose({true, false, false}, true).kind, Kind::kSignal);
  EXPECT_EQ(Choose({true, false, false}, false, OverflowMode::kForcedSoftware).kind, Kind::kTimer);
}

TEST(ChooseSource, GivesTheReasonInWords) {
  EXPECT_NE(std::string(Choose({false, false, false}).reason).find("6.1"), std::string::npos);
  EXPECT_NE(std::string(Choose({true, true, false}).reason).find("debugger"), std::string::npos);
  EXPECT_NE(std::string(Choose({true, false, false}, true).reason).find("kernel mode"),
            std::string::npos);
}

TEST(ChooseSource, RefusesWhatCannotBe) {
  constexpr auto kHardware = OverflowMode::kHardware;
  EXPECT_EQ(Choose({false, false, false}, false, kHardware, Kind::kSigtrap).kind, Kind::kAutomatic);
  EXPECT_EQ(Choose({true, false, false}, false, kHardware, Kind::kTimer).kind, Kind::kAutomatic);
  EXPECT_EQ(Choose({true, false, false}, false, OverflowMode::kForcedSoftware, Kind::kSignal).kind,
            Kind::kAutomatic);
}

}  // namespace
}  // namespace csink

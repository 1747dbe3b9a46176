#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>

#include "core/counting/components/sensors/rapl_parts.h"
#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using testing::RecordedTree;

TEST(CpuTicks, AreWorkAndIdleOfAllCpus) {
  const auto ticks = ParseCpuTicks("cpu  10 20 30 1000 500 4 5 6 7 8\ncpu0 1 2 3 4\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->work, 10u + 20 + 30 + 4 + 5 + 6) << "guests are in user already";
  EXPECT_EQ(ticks->idle, 1500u);
}

TEST(CpuTicks, OldKernelsHaveFewerFields) {
  const auto ticks = ParseCpuTicks("cpu 1 2 3 4");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->work, 6u);
  EXPECT_EQ(ticks->idle, 4u);
}

TEST(CpuTicks, RefusesWhatIsNoSuchLine) {
  for (const char* text :
       {"", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5", "cpu  1 2 x 4 5", "intr 5", "cpu  1 2 -3 4 5",
        "cpu  99999999999999999999 1 1 1", "cpu  18446744073709551615 18446744073709551615 1 1"}) {
    const auto ticks = ParseCpuTicks(text);
    ASSERT_FALSE(ticks) << text;
    EXPECT_EQ(ticks.error().code, Errc::kCorrupt) << text;
  }
}

TEST(MemoryUse, FreeIsWhatProgramsCanHave) {
  const auto use = ParseMemoryUse(
      "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:  9 kB\nBuffers:  200 kB\n"
      "Cached:         3000 kB\nSwapCached: 7 kB\nSwapTotal:      500 kB\nSwapFree: 100 kB\n");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->total, 16'000u);
  EXPECT_EQ(use->free, 4'200u);
  EXPECT_EQ(use->used, 11'800u);
  EXPECT_EQ(use->swap_total, 500u);
  EXPECT_EQ(use->swap_free, 100u);
  EXPECT_EQ(use->swap_used, 400u);
}

TEST(MemoryUse, SurvivesWhatMakesNoSense) {
  const auto use = ParseMemoryUse("MemTotal: 10 kB\nMemFree: 90 kB\nSwapTotal: lots\n");
  ASSERT_TRUE(use);
  EXPECT_EQ(use->used, 0u);
  EXPECT_EQ(use->swap_total, 0u);
  for (const char* text : {"", "MemTotal: x kB\nMemFree: 1 kB", "MemFree: 1 kB",
                           "MemTotal: 99999999999999999999 kB\nMemFree: 1 kB"}) {
    EXPECT_FALSE(ParseMemoryUse(text)) << text;
  }
}

TEST(CpuTimes, AreMillisecondsOfTheAverageCpu) {
  const RecordedTree recorded{{"/proc/stat", "cpu  100 0 0 300 0 0 0 0 0 0\n"}};
  const auto part = OpenCpuTimes(recorded.tree(), 4);
  ASSERT_TRUE(part);
  part->BeginRead();
  const auto value = [&](ProcReading reading) {
    const auto bits = part->Value(static_cast<std::uint32_t>(reading));
    EXPECT_TRUE(bits);
    return *bits;
  };
  const double tick_ms = 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(std::bit_cast<double>(value(ProcReading::kTimeWork)), 25 * tick_ms);
  EXPECT_DOUBLE_EQ(std::bit_cast<double>(value(ProcReading::kTimeIdle)), 75 * tick_ms);
  EXPECT_EQ(value(ProcReading::kWorkTicks), 100u);
  EXPECT_EQ(value(ProcReading::kAllTicks), 400u);
}

TEST(CpuTimes, AreOfOneMoment) {
  RecordedTree recorded{{"/proc/stat", "cpu  100 0 0 300 0 0 0 0 0 0\n"}};
  const auto part = OpenCpuTimes(recorded.tree(), 1);
  ASSERT_TRUE(part);
  part->BeginRead();
  ASSERT_EQ(*part->Value(static_cast<std::uint32_t>(ProcReading::kWorkTicks)), 100u);
  recorded.Add("/proc/stat", "cpu  200 0 0 300 0 0 0 0 0 0\n");
  EXPECT_EQ(*part->Value(static_cast<std::uint32_t>(ProcReading::kAllTicks)), 400u);
  part->BeginRead();
  EXPECT_EQ(*part->Value(static_cast<std::uint32_t>(ProcReading::kAllTicks)), 500u);
}

TEST(CpuTimes, AreAbsentWithoutTheFile) {
  const RecordedTree nothing;
  EXPECT_FALSE(OpenCpuTimes(nothing.tree(), 1));
  EXPECT_FALSE(OpenMemoryUse(nothing.tree()));
  const RecordedTree nonsense{{"/proc/stat", "hello"}, {"/proc/meminfo", ""}};
  EXPECT_FALSE(OpenCpuTimes(nonsense.tree(), 1));
  EXPECT_FALSE(OpenMemoryUse(nonsense.tree()));
}

}  // namespace
}  // namespace csink

#include "symbolizer/commands/load/interrupt_cost.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace csink::tool {
namespace {

std::uint64_t NowNs(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

class InterruptCost : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    cache_.folder = root_ + "/cache";
    setenv("CSINK_CACHE", cache_.folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("CSINK_CACHE");
    std::filesystem::remove_all(root_);
  }
  /// The only file of the cache.
  std::string File() const {
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(cache_.folder)) {
      EXPECT_EQ(found, "");
      found = entry.path();
    }
    return found;
  }
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(File()).rdbuf();
    return text.str();
  }
  /// Puts another number of ns into the file.
  void Keep(const std::string& ns) const {
    const std::string text = Text();
    std::ofstream(File()) << text.substr(0, text.rfind(' ') + 1) << ns;
  }
  std::string root_ = ::testing::TempDir() + "interrupt_cost_XXXXXX";
  symbolizer::cache::Settings cache_;
};

/// A process of this machine with samples of one clock event.
Profile OfThisMachine(std::uint64_t samples) {
  utsname about = {};
  uname(&about);
  Profile profile;
  profile.events.push_back({});
  profile.events[0].kind = EventClass::kClock;
  ProcessRow row;
  row.host = about.nodename;
  row.source = spool::Source::kRing;
  row.start_realtime_ns = NowNs(CLOCK_REALTIME);
  row.start_monotonic_ns = NowNs(CLOCK_MONOTONIC);
  row.counts.push_back({});
  row.counts[0].samples = samples;
  profile.processes.push_back(row);
  return profile;
}

TEST_F(InterruptCost, IsMeasuredOnceAndKept) {
  const auto cost = FindInterruptCost(InterruptKind::kClock, cache_);
  if (!cost) GTEST_SKIP() << "perf events are refused, or their cost cannot be seen here";
  EXPECT_GT(*cost, 50u);
  EXPECT_LT(*cost, 1'000'000u);
  Keep("4321\n");
  EXPECT_EQ(FindInterruptCost(InterruptKind::kClock, cache_), 4321u);
}

TEST_F(InterruptCost, ADamagedFileIsMeasuredAnew) {
  (void)FindInterruptCost(InterruptKind::kClock, cache_);
  for (const char* damaged :
       {"4321", "x\n", "-1\n", "99999999999999999999999\n", "4321\n5\n", ""}) {
    Keep(damaged);
    (void)FindInterruptCost(InterruptKind::kClock, cache_);
    EXPECT_TRUE(Text().ends_with('\n')) << damaged;
    EXPECT_EQ(Text().find("4321"), std::string::npos) << damaged;
  }
}

TEST_F(InterruptCost, WithoutACacheNothingIsMeasured) {
  EXPECT_EQ(FindInterruptCost(InterruptKind::kClock, {}), std::nullopt);
}

TEST_F(InterruptCost, IsGivenToProcessesOfThisMachine) {
  if (!FindInterruptCost(InterruptKind::kClock, cache_)) GTEST_SKIP() << "it cannot be measured";
  Keep("4321\n");
  Profile profile = OfThisMachine(1000);
  profile.processes.resize(5, profile.processes[0]);
  profile.processes[1].host += "x";
  profile.processes[2].start_monotonic_ns += 3'600'000'000'000;  // Before the last start
  profile.processes[3].source = spool::Source::kTimer;
  profile.processes[4].evidence.interrupt_ns = 7;  // From a merged file
  AddInterruptCosts(profile);
  const std::uint64_t expected[] = {4321, 0, 0, 0, 7};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(profile.processes[i].evidence.interrupt_ns, expected[i]) << i;
  }
}

TEST_F(InterruptCost, IsNotMeasuredForAFewSamples) {
  Profile profile = OfThisMachine(99);
  AddInterruptCosts(profile);
  EXPECT_EQ(profile.processes[0].evidence.interrupt_ns, 0u);
  EXPECT_FALSE(std::filesystem::exists(cache_.folder));
}

TEST_F(InterruptCost, DependsOnTheCallersThatAreRecorded) {
  if (!MeasureInterruptCost(InterruptKind::kClockUnwind)) GTEST_SKIP() << "it cannot be measured";
  Profile profile = OfThisMachine(1000);
  profile.processes[0].configuration = "CSINK_EVENTS='task-clock'\nCSINK_STACKS='unwind'\n";
  AddInterruptCosts(profile);
  EXPECT_TRUE(File().ends_with(".clock-unwind")) << File();
}

}  // namespace
}  // namespace csink::tool

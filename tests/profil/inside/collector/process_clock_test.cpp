#include "profil/inside/collector/process_clock.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

class ProcessClockTest : public ::testing::Test {
 protected:
  std::uint64_t Unseen(std::uint64_t process_ms, std::uint64_t known_ms,
                       std::uint64_t paused_ms = 0, std::uint64_t threads = 0) {
    return clock_.UnseenNs(kernel_, {process_ms * kMs, known_ms * kMs, paused_ms * kMs, threads}) /
           kMs;
  }

  testing::FakeKernel kernel_;
  ProcessClock clock_;
};

TEST_F(ProcessClockTest, ShowsWhatNoKnownThreadHasUsed) {
  clock_.Begin(0, 0);
  EXPECT_EQ(Unseen(100, 40), 60u);
  EXPECT_EQ(Unseen(100, 100), 0u);
  EXPECT_EQ(Unseen(100, 120), 0u);
}

TEST_F(ProcessClockTest, LeavesOutWhatEarlierImagesHaveUsed) {
  clock_.Begin(500 * kMs, 100 * kMs);
  EXPECT_EQ(Unseen(600, 200), 0u);
  EXPECT_EQ(Unseen(650, 200), 50u);
}

TEST_F(ProcessClockTest, LeavesOutTheThreadsOfTheAgent) {
  clock_.Begin(0, 0);
  clock_.AddOwnThread(10 * kMs);
  kernel_.SetThreadCpu(77, static_cast<long>(25 * kMs));
  clock_.set_own_thread(77);
  EXPECT_EQ(Unseen(100, 20), 45u);
  clock_.ResetAfterFork();
  EXPECT_EQ(Unseen(100, 20), 70u);
  clock_.Clear();
  EXPECT_FALSE(clock_.known());
  clock_.Begin(0, 0);
  EXPECT_EQ(Unseen(100, 20), 80u);
}

TEST_F(ProcessClockTest, LeavesOutPauses) {
  clock_.Begin(0, 0);
  EXPECT_EQ(Unseen(100, 10, 60), 40u);
  EXPECT_EQ(Unseen(100, 10, 100), 0u);
}

TEST_F(ProcessClockTest, GrantsEachThreadATenthOfAMillisecond) {
  clock_.Begin(0, 0);
  EXPECT_EQ(Unseen(100, 0, 0, 300), 70u);
}

TEST_F(ProcessClockTest, IgnoresLessThanTwentyMillisecondsOrHalfAPercent) {
  clock_.Begin(0, 0);
  EXPECT_EQ(Unseen(100, 81), 0u);
  EXPECT_EQ(Unseen(100, 80), 20u);
  EXPECT_EQ(Unseen(10'000, 9'951), 0u);
  EXPECT_EQ(Unseen(10'000, 9'950), 50u);
}

}  // namespace
}  // namespace csink

#include "core/machine/thread_times.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

namespace csink {
namespace {

TEST(ThreadTimes, ReadsTheThreeNumbers) {
  const auto times = ParseThreadTimes("1736534 20 3\n");
  ASSERT_TRUE(times);
  EXPECT_EQ((*times).run_ns, 1736534u);
  EXPECT_EQ((*times).wait_ns, 20u);
  EXPECT_EQ((*times).turns, 3u);
}

TEST(ThreadTimes, RefusesOtherText) {
  for (const char* text :
       {"", "\n", "1", "1 2", "1 2 3 4", "1 2 x", "-1 2 3", "1  2 3", "99999999999999999999 0 0"}) {
    const auto times = ParseThreadTimes(text);
    ASSERT_FALSE(times) << text;
    EXPECT_EQ(times.error().code, Errc::kInvalid) << text;
  }
}

TEST(ThreadTimes, SaysThatTheKernelKeepsNoTimes) {
  const auto times = ParseThreadTimes("0 0 0\n");
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().code, Errc::kUnsupported);
}

std::uint64_t OwnCpuNs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

TEST(ThreadTimes, OwnTimeLiesBetweenTwoReadsOfTheThreadsClock) {
  const std::uint64_t before = OwnCpuNs();
  const auto times = ReadThreadTimes(0);
  const std::uint64_t after = OwnCpuNs();
  if (!times && times.error().code == Errc::kUnsupported) GTEST_SKIP() << "no schedstat";
  ASSERT_TRUE(times);
  EXPECT_GE((*times).run_ns, before);
  EXPECT_LE((*times).run_ns, after);
  EXPECT_GT((*times).turns, 0u);
}

TEST(ThreadTimes, ASleepingThreadTakesTurnsAndNoTime) {
  const auto before = ReadThreadTimes(static_cast<std::uint32_t>(gettid()));
  if (!before && before.error().code == Errc::kUnsupported) GTEST_SKIP() << "no schedstat";
  ASSERT_TRUE(before);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto after = ReadThreadTimes(static_cast<std::uint32_t>(gettid()));
  ASSERT_TRUE(after);
  EXPECT_GT((*after).turns, (*before).turns);
  EXPECT_LT((*after).run_ns - (*before).run_ns, 20'000'000u);
}

TEST(ThreadTimes, AThreadThatIsGoneIsAnError) {
  std::uint32_t tid = 0;
  std::thread([&tid] { tid = static_cast<std::uint32_t>(gettid()); }).join();
  // The kernel wakes who joins before it removes the thread from /proc.
  auto times = ReadThreadTimes(tid);
  for (int i = 0; times && i < 5000; ++i) {
    usleep(1000);
    times = ReadThreadTimes(tid);
  }
  ASSERT_FALSE(times);
  EXPECT_NE(times.error().sys_errno, 0);
}

}  // namespace
}  // namespace csink

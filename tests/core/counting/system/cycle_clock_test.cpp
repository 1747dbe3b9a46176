#include "core/counting/system/cycle_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <thread>

namespace csink {
namespace {

std::uint64_t Ns(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

TEST(RealNs, IsTheMonotonicClock) {
  const std::uint64_t before = Ns(CLOCK_MONOTONIC);
  const std::uint64_t ours = RealNs();
  EXPECT_GE(ours, before);
  EXPECT_LE(ours, Ns(CLOCK_MONOTONIC));
}

TEST(RealCycles, NeverGoesBack) {
  std::uint64_t last = RealCycles();
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t now = RealCycles();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(RealCycles, RunAtTheCpusPace) {
  const std::uint64_t start_ns = RealNs(), start = RealCycles();
  while (RealNs() - start_ns < 20'000'000) {
  }
  const double elapsed_us = static_cast<double>(RealNs() - start_ns) / 1000;
  const double mhz = static_cast<double>(RealCycles() - start) / elapsed_us;
  // The counter's pace is the nominal one: a CPU may be faster (turbo) or have no known frequency.
  EXPECT_GT(mhz, HostMhz() / 5.0);
  EXPECT_LT(mhz, HostMhz() * 5.0);
}

TEST(ThreadNs, IsTheCallersCpuTime) {
  const std::uint64_t before = Ns(CLOCK_THREAD_CPUTIME_ID);
  const std::uint64_t ours = ThreadNs();
  EXPECT_GE(ours, before);
  EXPECT_LE(ours, Ns(CLOCK_THREAD_CPUTIME_ID));
  std::uint64_t fresh = ~std::uint64_t{0};
  while (ThreadNs() < before + 30'000'000) {
  }
  std::thread([&] { fresh = ThreadNs(); }).join();
  EXPECT_LT(fresh, ThreadNs());
}

TEST(Scaled, NeedsNoRoomInBetween) {
  static_assert(Scaled(6, 7, 2) == 21);
  static_assert(Scaled(~std::uint64_t{0}, 1000, 1000) == ~std::uint64_t{0});
  static_assert(Scaled(std::uint64_t{1} << 62, 3, 6) == std::uint64_t{1} << 61);
  static_assert(Scaled(std::uint64_t{1} << 62, 5000, 1000) == ~std::uint64_t{0});  // saturates
  // A year of CPU time at 5 GHz, in the product of ns and MHz, is beyond 64 bits.
  static_assert(Scaled(31'536'000'000'000'000, 5000, 1000) == 157'680'000'000'000'000);
}

TEST(HostMhz, IsPlausibleAndSteady) {
  EXPECT_GE(HostMhz(), 1u);
  EXPECT_LT(HostMhz(), 100'000u);
  EXPECT_EQ(HostMhz(), HostMhz());
}

TEST(EstimateMhz, AnswersAFrequency) {
  EXPECT_GE(EstimateMhz(), 1u);
  EXPECT_LT(EstimateMhz(), 100'000u);
}

}  // namespace
}  // namespace csink

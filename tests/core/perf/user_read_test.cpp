#include "core/perf/user_read.h"

#include <gtest/gtest.h>

#include "core/counting/counters/counter_table.h"

namespace csink {
namespace {

std::uint64_t g_counter = 0;
std::uint64_t g_clock = 0;
std::uint32_t g_index = 0;
perf_event_mmap_page* g_disturbed = nullptr;

std::uint64_t FakeCounter(std::uint32_t index) noexcept {
  g_index = index;
  if (g_disturbed) {  // an interrupt in the middle: another counter, another offset
    g_disturbed->lock += 2;
    g_disturbed->offset += 1000;
    g_disturbed = nullptr;
  }
  return g_counter;
}
std::uint64_t FakeClock() noexcept { return g_clock; }

constexpr CounterInstructions kFake = {&FakeCounter, &FakeClock};

perf_event_mmap_page Page() {
  perf_event_mmap_page page = {};
  page.lock = 2;
  page.cap_user_rdpmc = 1;
  page.cap_user_time = 1;
  page.index = 3;
  page.pmc_width = 48;
  page.offset = 1'000'000;
  page.time_enabled = 500;
  page.time_running = 400;
  page.time_mult = 1 << 10;
  page.time_shift = 10;
  return page;
}

TEST(UserRead, AddsTheCounterToTheOffset) {
  const auto page = Page();
  g_counter = 234;
  RawCount now;
  ASSERT_TRUE(UserRead(page, kFake, false, now));
  EXPECT_EQ(now.value, 1'000'234u);
  EXPECT_EQ(g_index, 2u);
  EXPECT_EQ(now.enabled_ns, 500u);
  EXPECT_EQ(now.running_ns, 400u);
}

TEST(UserRead, ExtendsTheSignOfANarrowCounter) {
  auto page = Page();
  g_counter = (std::uint64_t{1} << 48) - 5;  // armed 5 counts before its end
  RawCount now;
  ASSERT_TRUE(UserRead(page, kFake, false, now));
  EXPECT_EQ(now.value, 1'000'000u - 5);
  page.pmc_width = 32;
  page.offset = 5'000'000'000;
  g_counter = 0x80000000;  // arm: armed at half of its width
  ASSERT_TRUE(UserRead(page, kFake, false, now));
  EXPECT_EQ(now.value, 5'000'000'000u - 0x80000000u);
  g_counter = 7;  // it has wrapped; the interrupt that tells is under way
  ASSERT_TRUE(UserRead(page, kFake, false, now));
  EXPECT_EQ(now.value, 5'000'000'007u);
  page.pmc_width = 64;
  g_counter = 1;
  ASSERT_TRUE(UserRead(page, kFake, false, now));
  EXPECT_EQ(now.value, 5'000'000'001u);
}

TEST(UserRead, ReadsAnewWhenTheKernelWroteMeanwhile) {
  auto page = Page();
  g_counter = 1;
  g_disturbed = &page;
  RawCount now;
  ASSERT_TRUE(UserRead(page, kFake, false, now));
  EXPECT_EQ(now.value, 1'001'001u);
}

TEST(UserRead, LeavesToTheKernelWhatItCannotKnow) {
  RawCount now;
  auto page = Page();
  page.index = 0;
  EXPECT_FALSE(UserRead(page, kFake, false, now)) << "not on a counter";
  page = Page();
  page.cap_user_rdpmc = 0;
  EXPECT_FALSE(UserRead(page, kFake, false, now)) << "not permitted";
  page = Page();
  page.cap_user_time = 0;
  EXPECT_FALSE(UserRead(page, kFake, true, now)) << "no clock";
  EXPECT_TRUE(UserRead(page, kFake, false, now)) << "and none needed";
  page = Page();
  page.lock = 3;
  EXPECT_FALSE(UserRead(page, kFake, false, now)) << "a writer that never ends";
}

TEST(UserRead, BringsTheTimesUpToDate) {
  auto page = Page();
  page.time_offset = static_cast<std::uint64_t>(-2000);  // ns since the update = clock - 2000
  g_clock = 2600;
  RawCount now;
  ASSERT_TRUE(UserRead(page, kFake, true, now));
  EXPECT_EQ(now.enabled_ns, 1100u);
  EXPECT_EQ(now.running_ns, 1000u);
  page.cap_user_time_short = 1;
  page.time_cycles = 0xfffffff0;
  page.time_mask = 0xffffffff;
  page.time_offset = 0 - std::uint64_t{0xfffffff0};
  g_clock = 0x10;  // a 32-bit clock that wrapped
  ASSERT_TRUE(UserRead(page, kFake, true, now));
  EXPECT_EQ(now.enabled_ns, 500u + 0x20);
}

TEST(Scaled, RoundsToTheNearestAndNeverOverflows) {
  EXPECT_EQ(Scaled(10, 3, 2), 15u);
  EXPECT_EQ(Scaled(1, 5, 3), 2u);
  EXPECT_EQ(Scaled(1, 4, 3), 1u);
  EXPECT_EQ(Scaled(7, 9, 9), 7u);
  EXPECT_EQ(Scaled(7, 9, 0), 0u);
  EXPECT_EQ(Scaled(std::uint64_t{1} << 50, std::uint64_t{1} << 50, std::uint64_t{1} << 49),
            std::uint64_t{1} << 51);
  EXPECT_EQ(Scaled(UINT64_MAX / 2, 1000, 1), static_cast<std::uint64_t>(INT64_MAX));
}

}  // namespace
}  // namespace csink

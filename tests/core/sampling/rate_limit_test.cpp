#include "core/sampling/rate_limit.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

using testing::FakeKernel;
using ::testing::HasSubstr;

EventList Cycles(std::uint64_t frequency_hz, bool given, std::uint64_t period = 0) {
  EventList list;
  list.count = 1;
  EventSpec& spec = list.events[0];
  std::memcpy(spec.name, "cycles", 7);
  spec.type = PERF_TYPE_HARDWARE;
  spec.frequency_hz = frequency_hz;
  spec.period = period;
  spec.rate_given = given;
  return list;
}

TEST(FitRates, LowersAFrequencyToHalfOfTheLimitAndSaysSoWhereItWasStated) {
  FakeKernel kernel;
  kernel.SetMaxSampleRate(6000);
  EventList list = Cycles(10'000, true);
  EventComplaint complaint;
  FitRates(kernel, list, complaint);
  EXPECT_EQ(list.events[0].frequency_hz, 3000u);
  EXPECT_THAT(complaint.c_str(), HasSubstr("cycles is sampled at 3000 Hz, not at 10000"));
  EXPECT_THAT(complaint.c_str(), HasSubstr("kernel.perf_event_max_sample_rate"));
}

TEST(FitRates, LowersADefaultWithoutAWord) {
  FakeKernel kernel;
  kernel.SetMaxSampleRate(1000);
  EventList list = Cycles(kDefaultCounterHz, false);
  EventComplaint complaint;
  FitRates(kernel, list, complaint);
  EXPECT_EQ(list.events[0].frequency_hz, 500u);
  EXPECT_EQ(complaint.size(), 0u);
}

TEST(FitRates, LeavesWhatFitsAndFixedPeriodsAndUnknownLimits) {
  FakeKernel kernel;
  EventComplaint complaint;
  kernel.SetMaxSampleRate(100'000);
  EventList list = Cycles(10'000, true);
  FitRates(kernel, list, complaint);
  EXPECT_EQ(list.events[0].frequency_hz, 10'000u);
  kernel.SetMaxSampleRate(1);
  list = Cycles(0, true, 6500);
  FitRates(kernel, list, complaint);
  EXPECT_EQ(list.events[0].period, 6500u);
  EXPECT_EQ(list.events[0].frequency_hz, 0u);
  kernel.SetMaxSampleRate(-ENOENT);
  list = Cycles(10'000, true);
  FitRates(kernel, list, complaint);
  EXPECT_EQ(list.events[0].frequency_hz, 10'000u);
  EXPECT_EQ(complaint.size(), 0u);
}

TEST(FitRates, NeverAsksForNothing) {
  FakeKernel kernel;
  kernel.SetMaxSampleRate(1);
  EventList list = Cycles(1000, false);
  EventComplaint complaint;
  FitRates(kernel, list, complaint);
  EXPECT_EQ(list.events[0].frequency_hz, 1u);
}

TEST(MaxSampleRateHz, OfThisMachineIsANumber) {
  const long rate = RealKernel().MaxSampleRateHz();
  if (rate == -ENOENT) GTEST_SKIP() << "this kernel was built without perf events";
  EXPECT_GT(rate, 0);
}

}  // namespace
}  // namespace csink

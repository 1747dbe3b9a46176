#include "core/sampling/event_account.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(EventAccount, AddsUpTheTimeBetweenThrottleAndUnthrottle) {
  EventAccount account;
  account.Throttled(10 * kMs);
  account.Unthrottled(13 * kMs);
  account.Throttled(20 * kMs);
  account.Unthrottled(22 * kMs);
  EXPECT_EQ(account.With(0, 0, 0, false).throttled_ns, 5 * kMs);
}

TEST(EventAccount, KeepsTheTimeOffTheProcessorOutOfAThrottle) {
  EventAccount account;
  account.Throttled(10 * kMs);
  account.Unthrottled(5000 * kMs);
  EXPECT_EQ(account.With(0, 0, 0, false).throttled_ns, kLongestThrottleNs);
}

TEST(EventAccount, CountsAThrottleThatIsNotOverOrWhoseEndIsLost) {
  EventAccount account;
  account.Throttled(10 * kMs);
  EXPECT_GT(account.With(0, 0, 0, false).throttled_ns, 0u);
  account.Throttled(50 * kMs);
  const std::uint64_t two = account.With(0, 0, 0, false).throttled_ns;
  account.Unthrottled(51 * kMs);
  EXPECT_GT(two, kMs);
  EXPECT_GT(account.With(0, 0, 0, false).throttled_ns, kMs) << "the first one stays";
  account.Unthrottled(60 * kMs);
  EXPECT_LT(account.With(0, 0, 0, false).throttled_ns, 9 * kMs) << "an end without a beginning";
}

TEST(EventAccount, TakesWhatWasCountedAndNotSampledFromTheCount) {
  EventAccount account;
  account.Sampled(1000);
  account.Sampled(500);
  EXPECT_EQ(account.With(0, 0, 1700, true).unsampled, 200u);
  EXPECT_EQ(account.With(0, 0, 1700, false).unsampled, 0u) << "the count is not known";
  EXPECT_EQ(account.With(0, 0, 1400, true).unsampled, 0u) << "an old count";
}

TEST(EventAccount, GoesOnInTheNextRing) {
  EventAccount account;
  account.Sampled(1000);
  account.Close(10 * kMs, 8 * kMs, 1100, true);
  account.Sampled(300);
  const EventAccount::Totals totals = account.With(5 * kMs, 5 * kMs, 350, true);
  EXPECT_EQ(totals.enabled_ns, 15 * kMs);
  EXPECT_EQ(totals.running_ns, 13 * kMs);
  EXPECT_EQ(totals.unsampled, 150u);
}

TEST(EventAccount, TellsThrottlesOnce) {
  EventAccount account;
  account.Throttled(1);
  account.Throttled(2);
  EXPECT_EQ(account.TakeThrottles(), 2u);
  EXPECT_EQ(account.TakeThrottles(), 0u);
}

}  // namespace
}  // namespace csink

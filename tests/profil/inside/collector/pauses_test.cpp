#include "profil/inside/collector/pauses.h"

#include <gtest/gtest.h>

#include <memory>

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(Pauses, SumTheCpuTimeBetweenTheirBeginAndEnd) {
  Pauses pauses;
  pauses.Begin({100, 10}, 0);
  pauses.End({150, 12});
  pauses.Begin({200, 20}, 0);
  pauses.End({207, 23});
  EXPECT_EQ(pauses.Until({1000, 1000}).user, 57u);
  EXPECT_EQ(pauses.Until({1000, 1000}).system, 5u);
}

TEST(Pauses, CountAPauseThatLastsUpToNow) {
  Pauses pauses;
  pauses.Begin({100, 10}, 0);
  EXPECT_EQ(pauses.Until({130, 11}).user, 30u);
  EXPECT_EQ(pauses.Until({130, 11}).system, 1u);
  EXPECT_EQ(pauses.Until({99, 9}).total(), 0u) << "the clock of the process went back";
}

TEST(Pauses, LeaveSystemTimeOutWhereItIsNotSampled) {
  Pauses pauses;
  pauses.Begin({0, 0}, 0);
  EXPECT_EQ(pauses.SampledNsUntil({50, 7}), 50u);
  pauses.set_system_is_sampled(true);
  EXPECT_EQ(pauses.SampledNsUntil({50, 7}), 57u);
}

TEST(Pauses, RestOnceAfterATenthOfASecond) {
  Pauses pauses;
  EXPECT_FALSE(pauses.RestIsDue(500 * kMs));
  pauses.Begin({}, 1000 * kMs);
  EXPECT_FALSE(pauses.RestIsDue(1000 * kMs + Pauses::kRestAfterNs - 1));
  EXPECT_TRUE(pauses.RestIsDue(1000 * kMs + Pauses::kRestAfterNs));
  pauses.BeginRest();
  EXPECT_TRUE(pauses.resting());
  EXPECT_FALSE(pauses.RestIsDue(9000 * kMs));
}

TEST(Pauses, RestLaterWhenTheRestIsPostponed) {
  Pauses pauses;
  pauses.Begin({}, 1000 * kMs);
  pauses.PostponeRest(1050 * kMs);
  EXPECT_FALSE(pauses.RestIsDue(1100 * kMs));
  EXPECT_TRUE(pauses.RestIsDue(1150 * kMs));
}

TEST(Pauses, StopCountingAtTheirEndInEachThread) {
  Pauses pauses;
  const auto slot = std::make_unique<ThreadSlot>();
  EXPECT_TRUE(pauses.AgreesWith(*slot));
  pauses.Begin({}, 0);
  EXPECT_FALSE(pauses.AgreesWith(*slot));
  pauses.Agree(*slot, 100);
  EXPECT_TRUE(pauses.AgreesWith(*slot));
  EXPECT_EQ(Pauses::NsOf(*slot, 90), 0u);
  EXPECT_EQ(Pauses::NsOf(*slot, 130), 30u);
  pauses.End({});
  pauses.Agree(*slot, 140);
  EXPECT_EQ(Pauses::NsOf(*slot, 5000), 40u);
  EXPECT_EQ(slot->drained_cpu_ns, 140u) << "no sample is missing in the pause";
}

TEST(Pauses, ForgetWhatWasPausedWhenTheAccountsAreCleared) {
  Pauses pauses;
  pauses.Begin({0, 0}, 0);
  pauses.End({50, 0});
  pauses.Begin({60, 0}, 0);
  pauses.Clear({70, 0});
  EXPECT_TRUE(pauses.pausing());
  EXPECT_EQ(pauses.Until({75, 0}).user, 5u);
}

TEST(Pauses, RestInAForkedChildOfAPausedProgram) {
  Pauses pauses;
  pauses.ResetAfterFork();
  EXPECT_FALSE(pauses.resting());
  pauses.Begin({}, 0);
  pauses.ResetAfterFork();
  EXPECT_TRUE(pauses.pausing());
  EXPECT_TRUE(pauses.resting());
  pauses.EndRest();
  EXPECT_FALSE(pauses.resting());
}

}  // namespace
}  // namespace csink

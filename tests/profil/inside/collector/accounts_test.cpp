#include "profil/inside/collector/accounts.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <memory>

#include "tests/fakes/fake_kernel.h"
#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

ThreadRegistry g_registry;

TEST(ThreadSums, TakePausesAndSwitchedOffTimesFromWhatWasDue) {
  const auto slot = std::make_unique<ThreadSlot>();
  slot->armed_cpu_ns = 100;
  EXPECT_EQ(DueNs(*slot, 90), 0u);
  EXPECT_EQ(DueNs(*slot, 150), 50u);
  slot->paused_ns = 10;
  slot->off_ns = 5;
  EXPECT_EQ(DueNs(*slot, 150), 35u);
  slot->switched_off = true;
  slot->off_from_ns = 130;
  EXPECT_EQ(SwitchedOffNs(*slot, 150), 25u);
  EXPECT_EQ(SwitchedOffNs(*slot, 120), 5u);
  EXPECT_EQ(DueNs(*slot, 150), 15u);
}

TEST(Losses, ExplainWhatEveryCauseButTheLastKnows) {
  Losses losses;
  losses.Add(spool::Loss::kShortThread, 3);
  losses.Add(spool::Loss::kShortThread, 4);
  losses.Set(spool::Loss::kNoRing, 10);
  losses.Set(spool::Loss::kNoRing, 20);
  losses.Set(spool::Loss::kUnexplained, 1000);
  EXPECT_EQ(losses.ns(spool::Loss::kShortThread), 7u);
  EXPECT_EQ(losses.ExplainedNs(), 27u);
}

TEST(Losses, AreStoredByEvent) {
  Losses losses;
  losses.AddRecords(1, 5);
  losses.AddRecords(1, 2);
  losses.AddThrottled(0);
  spool::Header header = {};
  header.event_count = 2;
  losses.StoreRecords(header);
  EXPECT_EQ(header.events[0].lost_records, 0u);
  EXPECT_EQ(header.events[0].throttled, 1u);
  EXPECT_EQ(header.events[1].lost_records, 7u);
}

/// Accounts of a process without a spool, whose clock of 1 ms is the only event.
class AccountsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    EventList list;
    list.count = 1;
    list.events[0].type = PERF_TYPE_SOFTWARE;
    list.events[0].kind = EventClass::kClock;
    list.events[0].period = kMs;
    rings_.Configure(list);
    accounts_.set_clock({.event = 0, .has_system = false, .period_ns = kMs});
  }
  void TearDown() override {
    for (std::size_t i = 0; i < g_registry.high_water(); ++i) rings_.Disarm(g_registry.at(i));
    g_registry.ResetAfterFork();
  }
  ThreadSlot& Start(pid_t tid, bool armed = true) {
    ThreadSlot& slot = *g_registry.Claim();
    slot.tid = tid;
    kernel_.SetThreadCpu(tid, 1);
    if (armed) {
      EXPECT_TRUE(rings_.Arm(slot, tid));
    }
    accounts_.BeginThread(slot, tid, armed);
    slot.state = SlotState::kLive;
    return slot;
  }
  spool::Header Header() {
    spool::Header header = {};
    header.event_count = 1;
    accounts_.Store(header);
    accounts_.StoreSettledColumns(header);
    return header;
  }

  testing::TemporaryFolder folder_;
  testing::FakeKernel kernel_;
  RingSource rings_{kernel_};
  SpoolWriter spool_;
  Pauses pauses_;
  Accounts accounts_{kernel_, g_registry, rings_, spool_, pauses_};
};

TEST_F(AccountsTest, CountSamplesAndTheWeightOfTheClockAlone) {
  ThreadSlot& slot = Start(11);
  accounts_.CountSample(slot, 0, 700);
  accounts_.CountSample(slot, 1, 40);
  EXPECT_EQ(accounts_.samples(), 2u);
  EXPECT_EQ(slot.samples, 2u);
  EXPECT_EQ(slot.clock_weight, 700u);
}

TEST_F(AccountsTest, CountThreadsThatWereSeenAndThatWereSampled) {
  Start(11);
  Start(12, false);
  accounts_.SeeThread();
  EXPECT_EQ(accounts_.threads_seen(), 3u);
  EXPECT_EQ(Header().threads_sampled, 1u);
}

TEST_F(AccountsTest, AddAThreadThatLivesOnOnlyOnceHoweverOftenItIsSettled) {
  Start(12, false);
  kernel_.SetThreadCpu(12, static_cast<long>(50 * kMs) + 1);
  for (int i = 0; i < 3; ++i) accounts_.SettleLive();
  EXPECT_EQ(Header().lost_ns[static_cast<int>(spool::Loss::kNoRing)], 50 * kMs);
  EXPECT_EQ(accounts_.Significance(), 50u);
}

TEST_F(AccountsTest, AddAnEndedThreadForGood) {
  ThreadSlot& slot = Start(12);
  kernel_.SetThreadCpu(12, 500'001);
  accounts_.SettleEnded(slot);
  slot.state = SlotState::kEnded;
  accounts_.SettleLive();
  EXPECT_EQ(accounts_.losses().ns(spool::Loss::kShortThread), 500'000u);
  EXPECT_FALSE(accounts_.short_threads().empty());
}

TEST_F(AccountsTest, ReadNoClockOnceTheyAreFrozen) {
  Start(11);
  Start(12, false);
  accounts_.EnterSandbox();
  const std::size_t before = kernel_.clock_reads();
  accounts_.SettleLive();
  EXPECT_EQ(Header().update_monotonic_ns, 0u);
  EXPECT_EQ(kernel_.clock_reads(), before);
}

TEST_F(AccountsTest, KeepTheClocksOfTheSandboxesBeginAndAddItsSamples) {
  Start(11);
  spool::Header header = {};
  header.event_count = 1;
  ASSERT_TRUE(spool_.Create(folder_.path(), "sandbox", header));
  accounts_.EnterSandbox();
  const spool::Evidence at = accounts_.evidence();
  EXPECT_NE(at.sandbox_monotonic_ns, 0u);
  EXPECT_GT(at.sandbox_user_ns + at.sandbox_system_ns, 0u);
  spool_.header().events[0].weight = 5 * kMs;
  accounts_.Store(spool_.header());
  EXPECT_EQ(spool_.header().evidence.sandbox_sampled_ns, 5 * kMs);
  EXPECT_EQ(spool_.header().user_ns, at.sandbox_user_ns + 5 * kMs);
  EXPECT_EQ(spool_.header().system_ns, at.sandbox_system_ns);
  accounts_.LeaveSandbox();
  EXPECT_EQ(accounts_.evidence().sandbox_monotonic_ns, 0u);
}

TEST_F(AccountsTest, BeginAnewAfterClear) {
  ThreadSlot& slot = Start(11);
  accounts_.CountSample(slot, 0, 700);
  accounts_.CountLost(slot, 0, 3);
  accounts_.CountDrain();
  accounts_.AddOwnCost(5);
  accounts_.Clear();
  const spool::Header header = Header();
  EXPECT_EQ(accounts_.samples(), 0u);
  EXPECT_EQ(accounts_.threads_seen(), 0u);
  EXPECT_EQ(header.drains, 0u);
  EXPECT_EQ(header.agent_ns, 0u);
  EXPECT_EQ(accounts_.losses().lost_records(0), 0u);
  EXPECT_EQ(accounts_.clock().period_ns, kMs) << "settings stay";
}

}  // namespace
}  // namespace csink

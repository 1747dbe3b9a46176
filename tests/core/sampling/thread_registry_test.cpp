#include "core/sampling/thread_registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "tests/fakes/fake_kernel.h"

extern "C" char __bss_start;
extern "C" char _end;

namespace csink {
namespace {

constinit ThreadRegistry g_registry;

class ThreadRegistryTest : public ::testing::Test {
 protected:
  void TearDown() override { g_registry.ResetAfterFork(); }
};

TEST_F(ThreadRegistryTest, LiesInMemoryThatIsZeroAndUntouched) {
  const char* at = reinterpret_cast<const char*>(&g_registry);
  EXPECT_GE(at, &__bss_start);
  EXPECT_LE(at + sizeof g_registry, &_end);
  EXPECT_EQ(static_cast<int>(SlotState::kFree), 0);
}

TEST_F(ThreadRegistryTest, GivesSlotsThatAreReadyToStart) {
  ThreadSlot* slot = g_registry.Claim();
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->state, SlotState::kStarting);
  EXPECT_EQ(slot->timer.load(), -1);
  EXPECT_EQ(slot->spool_thread, 0xffffffffu);
  EXPECT_FALSE(slot->armed());
  EXPECT_EQ(g_registry.used(), 1u);
}

TEST_F(ThreadRegistryTest, LeavesNoTraceOfAThreadInItsSlot) {
  ThreadSlot* slot = g_registry.Claim();
  slot->tid = 42;
  slot->hooked = slot->is_main = slot->timer_blocked = true;
  slot->start_routine = [] {};
  slot->samples = slot->clock_weight = slot->lost_records = slot->blocked_lost_ns = 9;
  slot->armed_cpu_ns = slot->drained_cpu_ns = 9;
  slot->spool_thread = 3;
  slot->end_rounds = 4;
  slot->name[0] = 'x';
  g_registry.Release(*slot);
  EXPECT_EQ(g_registry.used(), 0u);
  ThreadSlot* again = g_registry.Claim();
  ASSERT_EQ(again, slot) << "the slot freed last is the next one taken";
  EXPECT_EQ(again->tid, 0);
  EXPECT_FALSE(again->hooked || again->is_main || again->timer_blocked);
  EXPECT_EQ(again->start_routine, nullptr);
  EXPECT_EQ(again->samples + again->clock_weight + again->lost_records + again->blocked_lost_ns,
            0u);
  EXPECT_EQ(again->armed_cpu_ns + again->drained_cpu_ns, 0u);
  EXPECT_EQ(again->spool_thread, 0xffffffffu);
  EXPECT_EQ(again->end_rounds, 0u);
  EXPECT_STREQ(again->name, "");
}

TEST_F(ThreadRegistryTest, KeepsTheHighWaterWhereItWas) {
  std::vector<ThreadSlot*> slots;
  for (int i = 0; i < 10; ++i) slots.push_back(g_registry.Claim());
  const std::size_t high = g_registry.high_water();
  EXPECT_GE(high, 10u);
  for (ThreadSlot* slot : slots) {
    EXPECT_LT(static_cast<std::size_t>(slot - &g_registry.at(0)), high);
    g_registry.Release(*slot);
  }
  EXPECT_EQ(g_registry.high_water(), high);
  EXPECT_EQ(g_registry.used(), 0u);
}

TEST_F(ThreadRegistryTest, StaysInOneSlotForThreadsMadeOneAfterTheOther) {
  std::set<ThreadSlot*> seen;
  for (int i = 0; i < 100; ++i) {
    ThreadSlot* slot = g_registry.Claim();
    seen.insert(slot);
    g_registry.Release(*slot);
  }
  EXPECT_EQ(seen.size(), 1u);
}

TEST_F(ThreadRegistryTest, RefusesWhenFullAndRecoversAfterwards) {
  std::set<ThreadSlot*> seen;
  for (std::size_t i = 0; i < ThreadRegistry::kSlots; ++i) {
    ThreadSlot* slot = g_registry.Claim();
    ASSERT_NE(slot, nullptr);
    seen.insert(slot);
  }
  EXPECT_EQ(seen.size(), ThreadRegistry::kSlots);
  EXPECT_EQ(g_registry.Claim(), nullptr);
  EXPECT_EQ(g_registry.used(), ThreadRegistry::kSlots);
  EXPECT_EQ(g_registry.high_water(), ThreadRegistry::kSlots);
  ThreadSlot* one = *seen.begin();
  g_registry.Release(*one);
  EXPECT_EQ(g_registry.Claim(), one);
  EXPECT_EQ(g_registry.Claim(), nullptr);
}

TEST_F(ThreadRegistryTest, FindsEachSlotThatACrowdHasFreed) {
  std::vector<ThreadSlot*> slots;
  for (std::size_t i = 0; i < 300; ++i) slots.push_back(g_registry.Claim());
  std::set<ThreadSlot*> freed;
  for (const std::size_t i : {7u, 63u, 64u, 65u, 200u, 299u}) {
    freed.insert(slots[i]);
    g_registry.Release(*slots[i]);
  }
  const std::size_t high = g_registry.high_water();
  std::set<ThreadSlot*> claimed;
  for (std::size_t i = 0; i < freed.size(); ++i) claimed.insert(g_registry.Claim());
  EXPECT_EQ(claimed, freed);
  for (ThreadSlot* slot : claimed) EXPECT_EQ(slot->state, SlotState::kStarting);
  EXPECT_EQ(g_registry.high_water(), high);
}

TEST_F(ThreadRegistryTest, FindsLiveThreadsOnly) {
  ThreadSlot* slot = g_registry.Claim();
  slot->tid = 4242;
  EXPECT_EQ(g_registry.Find(4242), nullptr) << "it has not started";
  slot->state = SlotState::kLive;
  EXPECT_EQ(g_registry.Find(4242), slot);
  EXPECT_EQ(g_registry.Find(4243), nullptr);
  g_registry.Release(*slot);
  EXPECT_EQ(g_registry.Find(4242), nullptr);
}

TEST_F(ThreadRegistryTest, KeepsAListOfThreadsThatHaveEnded) {
  ThreadSlot* slots[3];
  for (ThreadSlot*& slot : slots) {
    slot = g_registry.Claim();
    slot->tid = 4242;
    EXPECT_FALSE(g_registry.PutEnded(*slot)) << "it has not started";
    slot->state = SlotState::kLive;
  }
  for (ThreadSlot* slot : slots) EXPECT_TRUE(g_registry.PutEnded(*slot));
  EXPECT_FALSE(g_registry.PutEnded(*slots[0])) << "once only";
  EXPECT_EQ(g_registry.ended(), 3u);
  EXPECT_EQ(g_registry.used(), 0u);
  EXPECT_EQ(g_registry.Find(4242), nullptr);
  EXPECT_NE(g_registry.FindWithEnded(4242), nullptr);
  std::set<ThreadSlot*> taken;
  while (ThreadSlot* slot = g_registry.TakeEnded()) {
    EXPECT_TRUE(slot->has_ended());
    taken.insert(slot);
    g_registry.Release(*slot);
  }
  EXPECT_EQ(taken, std::set<ThreadSlot*>(slots, slots + 3));
  EXPECT_EQ(g_registry.ended(), 0u);
  EXPECT_EQ(g_registry.used(), 0u);
  EXPECT_EQ(g_registry.FindWithEnded(4242), nullptr);
}

TEST_F(ThreadRegistryTest, PrefersALiveThreadToAnEndedOneOfItsNumber) {
  ThreadSlot* const old = g_registry.Claim();
  ThreadSlot* const live = g_registry.Claim();
  old->tid = live->tid = 4242;
  old->state = live->state = SlotState::kLive;
  g_registry.PutEnded(*old);
  EXPECT_EQ(g_registry.FindWithEnded(4242), live);
}

TEST_F(ThreadRegistryTest, LosesNoThreadThatEndsBesideOthers) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds;) {
        ThreadSlot* const slot = g_registry.Claim();
        if (!slot) {
          std::this_thread::yield();
          continue;
        }
        slot->end.cpu_ns = 1;
        slot->state.store(SlotState::kLive, std::memory_order_release);
        round += g_registry.PutEnded(*slot);
      }
      --running;
    });
  }
  std::uint64_t taken = 0;
  while (running != 0 || g_registry.ended() != 0) {
    ThreadSlot* const slot = g_registry.TakeEnded();
    if (!slot) continue;
    taken += slot->end.cpu_ns;
    slot->end.cpu_ns = 0;
    g_registry.Release(*slot);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, std::uint64_t{kThreads} * kRounds);
  EXPECT_EQ(g_registry.used(), 0u);
}

TEST_F(ThreadRegistryTest, ForgetsInAForkedChildWhoHasEnded) {
  ThreadSlot* const slot = g_registry.Claim();
  slot->state = SlotState::kLive;
  g_registry.PutEnded(*slot);
  g_registry.ResetAfterFork();
  EXPECT_EQ(g_registry.ended(), 0u);
  EXPECT_EQ(g_registry.TakeEnded(), nullptr);
  EXPECT_EQ(slot->state, SlotState::kFree);
}

TEST_F(ThreadRegistryTest, KnowsItsSlotsByTheirAddressesAlone) {
  ThreadSlot* slot = g_registry.Claim();
  const auto address = reinterpret_cast<std::uintptr_t>(slot);
  EXPECT_EQ(g_registry.FromAddress(address), slot);
  EXPECT_EQ(g_registry.FromAddress(address + 8), nullptr);
  EXPECT_EQ(g_registry.FromAddress(0), nullptr);
  const auto first = reinterpret_cast<std::uintptr_t>(&g_registry.at(0));
  EXPECT_EQ(g_registry.FromAddress(first - sizeof(ThreadSlot)), nullptr);
  EXPECT_EQ(g_registry.FromAddress(first + ThreadRegistry::kSlots * sizeof(ThreadSlot)), nullptr);
}

TEST_F(ThreadRegistryTest, ForgetsRingsInAForkedChildWithoutUnmapping) {
  testing::FakeKernel kernel;
  perf_event_attr attr = {};
  const int fd = static_cast<int>(kernel.PerfEventOpen(&attr, 0));
  ThreadSlot* slot = g_registry.Claim();
  ASSERT_TRUE(slot->rings[0].Map(kernel, fd, PageBytes()));
  slot->ring_count = 1;
  slot->state = SlotState::kLive;
  g_registry.ResetAfterFork();
  EXPECT_FALSE(slot->rings[0].mapped());
  EXPECT_EQ(slot->ring_count, 0);
  EXPECT_EQ(kernel.mapped_rings(), 1u);
  EXPECT_EQ(g_registry.used(), 0u);
  kernel.Close(fd);
}

TEST_F(ThreadRegistryTest, NeverGivesOneSlotToTwoThreads) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 5000;
  std::atomic<int> clashes{0};
  std::vector<std::thread> threads;
  for (int t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&clashes, t] {
      for (int i = 0; i < kRounds; ++i) {
        ThreadSlot* slot = g_registry.Claim();
        slot->samples = static_cast<std::uint64_t>(t);
        slot->tid = t;
        if (i % 64 == 0) std::this_thread::yield();
        if (slot->samples != static_cast<std::uint64_t>(t) || slot->tid != t) ++clashes;
        g_registry.Release(*slot);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(g_registry.used(), 0u);
}

}  // namespace
}  // namespace csink

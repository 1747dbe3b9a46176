#include "core/util/futex_lock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace csink {
namespace {

TEST(FutexLock, KnowsItsOwner) {
  FutexLock lock;
  EXPECT_FALSE(lock.HeldBy(1));
  ASSERT_TRUE(lock.TryLock(1));
  EXPECT_TRUE(lock.HeldBy(1));
  EXPECT_FALSE(lock.HeldBy(2));
  lock.Unlock();
  EXPECT_FALSE(lock.HeldBy(1));
}

TEST(FutexLock, LetsNobodyInTwiceNotEvenItsOwner) {
  FutexLock lock;
  ASSERT_TRUE(lock.TryLock(1));
  EXPECT_FALSE(lock.TryLock(2));
  EXPECT_FALSE(lock.TryLock(1));
  EXPECT_TRUE(lock.HeldBy(1)) << "a failed try does not change the owner";
  lock.Unlock();
  EXPECT_TRUE(lock.TryLock(2));
  lock.Unlock();
}

TEST(FutexLock, GivesUpAfterItsLimit) {
  FutexLock lock;
  ASSERT_TRUE(lock.TryLock(1));
  EXPECT_FALSE(lock.Lock(2, /*limit_ns=*/20'000'000));
  EXPECT_TRUE(lock.HeldBy(1));
  lock.Unlock();
  EXPECT_TRUE(lock.Lock(2, /*limit_ns=*/20'000'000)) << "free again after a waiter gave up";
  EXPECT_TRUE(lock.HeldBy(2));
  lock.Unlock();
  EXPECT_TRUE(lock.TryLock(3));
  lock.Unlock();
}

TEST(FutexLock, IsFreeInAForkedChild) {
  FutexLock lock;
  ASSERT_TRUE(lock.TryLock(1));
  lock.ResetAfterFork();
  EXPECT_FALSE(lock.HeldBy(1));
  EXPECT_TRUE(lock.TryLock(2));
  lock.Unlock();
}

TEST(FutexLock, LetsOneThreadInAtATime) {
  FutexLock lock;
  constexpr int kThreads = 6;
  constexpr int kRounds = 20'000;
  long counter = 0;  // plain on purpose
  std::vector<std::thread> threads;
  for (pid_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&lock, &counter, t] {
      for (int i = 0; i < kRounds; ++i) {
        if (i % 2 == 0 || !lock.TryLock(t)) lock.Lock(t);
        if (!lock.HeldBy(t)) ADD_FAILURE() << "held by somebody else";
        ++counter;
        lock.Unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, long{kThreads} * kRounds);
}

TEST(FutexLock, WakesEverybodyWhoSleepsOnIt) {
  FutexLock lock;
  ASSERT_TRUE(lock.TryLock(99));
  std::vector<std::thread> threads;
  for (pid_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&lock, t] {
      lock.Lock(t);
      lock.Unlock();
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // most of them sleep by now
  lock.Unlock();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(lock.TryLock(1));
  lock.Unlock();
}

}  // namespace
}  // namespace csink

#include "core/util/futex_lock.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
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

// A handler that comes at any moment of TryLock and Unlock must see that its thread holds the lock
// whenever the lock is taken: otherwise it would wait for the code that it interrupted.
TEST(FutexLock, IsNeverTakenWithoutAnOwner) {
  static FutexLock lock;
  static std::atomic<int> taken_without_owner{0};
  static std::atomic<int> visits{0};
  struct sigaction action = {};
  action.sa_handler = [](int) {
    visits.fetch_add(1);
    if (lock.HeldBy(7)) return;
    if (!lock.TryLock(7)) {
      taken_without_owner.fetch_add(1);
      return;
    }
    lock.Unlock();
  };
  struct sigaction before = {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const pthread_t self = pthread_self();
  std::atomic<bool> done{false};
  std::thread sender([&] {
    while (!done.load()) pthread_kill(self, SIGUSR1);
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(150);
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 1000; ++i) {
      lock.Lock(7);
      lock.Unlock();
    }
  }
  done = true;
  sender.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_GT(visits.load(), 0);
  EXPECT_EQ(taken_without_owner.load(), 0);
}

TEST(ForkHolding, LeavesALockAloneThatAnInterruptedFrameHolds) {
  FutexLock lock;
  ForkHolding over_fork(lock);
  over_fork.BeforeFork(1);
  EXPECT_TRUE(lock.HeldBy(1));
  over_fork.AfterForkInParent();
  EXPECT_FALSE(lock.HeldBy(1));
  ASSERT_TRUE(lock.TryLock(1));
  over_fork.BeforeFork(1);  // in a handler that interrupted the holder
  over_fork.AfterForkInParent();
  EXPECT_TRUE(lock.HeldBy(1));
  lock.Unlock();
}

TEST(ForkHolding, IsEndedByTheOuterForkIfAHandlerForksMeanwhile) {
  FutexLock lock;
  ForkHolding over_fork(lock);
  over_fork.BeforeFork(1);
  over_fork.BeforeFork(1);
  over_fork.AfterForkInParent();
  EXPECT_TRUE(lock.HeldBy(1)) << "the outer fork goes on";
  over_fork.AfterForkInParent();
  EXPECT_FALSE(lock.HeldBy(1));
  over_fork.BeforeFork(1);
  over_fork.BeforeFork(1);
  over_fork.AfterForkInChild();
  EXPECT_FALSE(lock.HeldBy(1));
  over_fork.BeforeFork(2);
  over_fork.AfterForkInParent();
  EXPECT_FALSE(lock.HeldBy(2)) << "the child begins without inner forks";
}

}  // namespace
}  // namespace csink

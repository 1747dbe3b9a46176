#include "core/counting/system/user_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace csink {
namespace {

TEST(UserLock, LetsOneThreadInAtATime) {
  constexpr int kThreads = 8, kRounds = 20'000;
  long count = 0;  // not atomic: that is the lock's business
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        LockUserLock(0);
        count = count + 1;
        UnlockUserLock(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, long{kThreads} * kRounds);
}

TEST(UserLock, LocksAreIndependent) {
  LockUserLock(0);
  LockUserLock(1);
  UnlockUserLock(1);
  UnlockUserLock(0);
}

TEST(UserLock, WaitersSleep) {
  LockUserLock(1);
  std::atomic<bool> entered{false};
  timespec cpu = {};
  std::thread waiter([&] {
    LockUserLock(1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    entered = true;
    UnlockUserLock(1);
  });
  usleep(100'000);
  EXPECT_FALSE(entered);
  UnlockUserLock(1);
  waiter.join();
  EXPECT_TRUE(entered);
  EXPECT_LT(cpu.tv_nsec, 50'000'000);  // of 100 ms that it waited
}

TEST(UserLock, UnlockingAFreeOneDoesNothing) {
  UnlockUserLock(0);
  LockUserLock(0);
  UnlockUserLock(0);
}

// Runs `body` in a forked child that is killed when it hangs: its exit status.
template <class Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    UserLocksForked();
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(UserLock, OfAnotherThreadIsFreeInAForkedChild) {
  std::atomic<int> stage{0};
  std::thread holder([&] {
    LockUserLock(0);
    stage = 1;
    while (stage == 1) usleep(1000);
    UnlockUserLock(0);
  });
  while (stage == 0) usleep(1000);
  EXPECT_EQ(InChild([] { LockUserLock(0); }), 0);
  stage = 2;
  holder.join();
}

TEST(UserLock, OfTheForkingThreadStaysHeldInTheChild) {
  LockUserLock(0);
  const int status = InChild([] {
    std::atomic<bool> entered{false};
    std::thread other([&] {
      LockUserLock(0);
      entered = true;
      UnlockUserLock(0);
    });
    usleep(50'000);
    if (entered) _exit(1);
    UnlockUserLock(0);
    other.join();
    if (!entered) _exit(2);
  });
  EXPECT_EQ(status, 0);
  UnlockUserLock(0);
}

}  // namespace
}  // namespace csink

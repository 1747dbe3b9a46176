#include "agent/waiting/wait_observer.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>

#include "tests/agent/parts_fixture.h"

namespace csink::agent {
namespace {

using spool::WaitKind;

/// A thread that waits for a mutex until the mutex is given back.
class WaitingThread {
 public:
  explicit WaitingThread(std::mutex& mutex)
      : thread_([this, &mutex] {
          tid_ = AskTid();
          ready_.release();
          const std::scoped_lock held(mutex);
        }) {
    ready_.acquire();
  }
  ~WaitingThread() { thread_.join(); }
  pid_t tid() const { return tid_; }

 private:
  pid_t tid_ = 0;
  std::binary_semaphore ready_{0};
  std::thread thread_;
};

/// A thread that computes and holds a mutex. The observing thread cannot be the holder: the line of
/// the thread that reads it is the read itself.
class HoldingThread {
 public:
  explicit HoldingThread(std::mutex& mutex)
      : thread_([this, &mutex] {
          const std::scoped_lock held(mutex);
          tid_ = AskTid();
          ready_.release();
          while (!over_.load()) {
          }
        }) {
    ready_.acquire();
  }
  ~HoldingThread() {
    LetGo();
    thread_.join();
  }
  void LetGo() { over_ = true; }
  pid_t tid() const { return tid_; }

 private:
  pid_t tid_ = 0;
  std::atomic<bool> over_{false};
  std::binary_semaphore ready_{0};
  std::thread thread_;
};

class WaitObserverTest : public testing::PartsTest {
 protected:
  void SetUp() override {
    PartsTest::SetUp();
    if (access("/proc/self/syscall", R_OK) != 0) GTEST_SKIP() << "no /proc/self/syscall";
  }
  void BeginToObserve() {
    Begin("task-clock");
    observer_.Begin(AskTid());
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // until a spool is worth it
  }
  /// Looks until `enough` says so, for 5 s at most.
  template <class Enough>
  bool ObserveUntil(Enough&& enough) {
    for (int i = 0; i < 2500; ++i) {
      observer_.Moment();
      if (spool_.open() && enough()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
  const spool::WaitObserver& sums() { return spool_.header().waits; }
  /// The first site of this kind; nullptr: none.
  const spool::WaitSiteRecord* Site(WaitKind kind) {
    for (std::uint32_t id = 1;; ++id) {
      const auto* site = spool_.At<spool::WaitSiteRecord>(id);
      if (site == nullptr || site->kind == kind) return site;
    }
  }

  WaitObserver observer_{process_, registry_, spool_, regions_, collector_};
};

TEST_F(WaitObserverTest, FindsAMutexAndItsHolder) {
  BeginToObserve();
  std::mutex mutex;
  pid_t holder_tid = 0;
  {
    HoldingThread holding(mutex);
    holder_tid = holding.tid();
    threads_.Adopt(holder_tid);
    WaitingThread waiter(mutex);
    threads_.Adopt(waiter.tid());
    EXPECT_TRUE(ObserveUntil([&] {
      const auto* holder = spool_.At<spool::HolderRecord>(0);
      const spool::WaitSiteRecord* site = Site(WaitKind::kMutex);
      return site != nullptr && site->looks >= 10 && holder != nullptr && holder->looks >= 5;
    }));
    holding.LetGo();
  }
  const spool::WaitSiteRecord* site = Site(WaitKind::kMutex);
  ASSERT_NE(site, nullptr);
  EXPECT_EQ(site->system_call, SYS_futex);
  EXPECT_GT(site->blocked_ns, 10'000'000u);
  EXPECT_GT(site->longest_ns, 5'000'000u);
  ASSERT_EQ(site->lock, 1u);
  const spool::LockRecord& lock = *spool_.At<spool::LockRecord>(1);
  EXPECT_EQ(lock.address, reinterpret_cast<std::uint64_t>(&mutex));
  EXPECT_EQ(lock.kind, WaitKind::kMutex);
  EXPECT_EQ(lock.region, spool::kNone);  // on the stack
  EXPECT_EQ(lock.most_waiters, 1u);
  EXPECT_EQ(lock.moments, lock.looks);
  EXPECT_EQ(lock.blocked_ns, site->blocked_ns);
  const spool::HolderRecord& holder = *spool_.At<spool::HolderRecord>(0);
  EXPECT_EQ(holder.lock, 1u);
  EXPECT_EQ(holder.tid, static_cast<std::uint32_t>(holder_tid));
  EXPECT_EQ(holder.state, 1u);  // it runs
  EXPECT_EQ(sums().state, 1u);
  // This thread has looks, too: it is blocked in the read of its own line.
  EXPECT_GE(sums().looks, site->looks);
  EXPECT_EQ(sums().threads, 3u);
  EXPECT_GE(sums().blocked_ns, site->blocked_ns);
}

/// A thread that computes.
class RunningThread {
 public:
  RunningThread()
      : thread_([this] {
          tid_ = AskTid();
          ready_.release();
          while (!over_.load()) {
          }
        }) {
    ready_.acquire();
  }
  ~RunningThread() {
    over_ = true;
    thread_.join();
  }
  pid_t tid() const { return tid_; }

 private:
  pid_t tid_ = 0;
  std::atomic<bool> over_{false};
  std::binary_semaphore ready_{0};
  std::thread thread_;
};

/// A thread that waits for a condition variable until the end.
class ConditionWaiter {
 public:
  ConditionWaiter()
      : thread_([this] {
          tid_ = AskTid();
          ready_.release();
          std::unique_lock held(mutex_);
          condition_.wait(held, [this] { return over_.load(); });
        }) {
    ready_.acquire();
  }
  ~ConditionWaiter() {
    {
      const std::scoped_lock held(mutex_);
      over_ = true;
    }
    condition_.notify_all();
    thread_.join();
  }
  pid_t tid() const { return tid_; }

 private:
  pid_t tid_ = 0;
  /// Atomic for the thread sanitizer, which does not see that a wait gives the mutex back.
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::condition_variable condition_;
  std::binary_semaphore ready_{0};
  std::thread thread_;
};

TEST_F(WaitObserverTest, NotesTheOnlyRunnerWhileAThreadWaitsForACondition) {
  BeginToObserve();
  RunningThread runner;
  threads_.Adopt(runner.tid());
  ConditionWaiter waiter;
  threads_.Adopt(waiter.tid());
  ASSERT_TRUE(ObserveUntil([&] {
    const auto* only = spool_.At<spool::HolderRecord>(0);
    return only != nullptr && only->looks >= 10;
  }));
  const spool::HolderRecord& only = *spool_.At<spool::HolderRecord>(0);
  EXPECT_EQ(only.state, 3u);
  EXPECT_EQ(only.tid, static_cast<std::uint32_t>(runner.tid()));
  EXPECT_EQ(spool_.At<spool::LockRecord>(only.lock)->known_holders,
            0u);  // running is no proof of holding
}

TEST_F(WaitObserverTest, NotesNoRunnerWhereTwoThreadsRun) {
  BeginToObserve();
  RunningThread first;
  RunningThread second;
  threads_.Adopt(first.tid());
  threads_.Adopt(second.tid());
  ConditionWaiter waiter;
  threads_.Adopt(waiter.tid());
  ASSERT_TRUE(ObserveUntil([&] {
    const auto* lock = spool_.At<spool::LockRecord>(1);
    return lock != nullptr && lock->looks >= 20;
  }));
  EXPECT_EQ(spool_.At<spool::HolderRecord>(0), nullptr);
}

TEST_F(WaitObserverTest, AThreadWithoutATurnAddsExactTime) {
  BeginToObserve();
  std::mutex mutex;
  mutex.lock();
  {
    WaitingThread waiter(mutex);
    threads_.Adopt(waiter.tid());
    EXPECT_TRUE(ObserveUntil([&] {
      const spool::WaitSiteRecord* site = Site(WaitKind::kMutex);
      return site != nullptr && site->looks >= 20;
    }));
    mutex.unlock();
  }
  const spool::WaitSiteRecord* site = Site(WaitKind::kMutex);
  ASSERT_NE(site, nullptr);
  // Only the first look at the wait is uncertain; the others add nothing to the squares.
  const double all = static_cast<double>(site->blocked_ns);
  EXPECT_LT(site->blocked_squared, all * all / 4);
}

TEST_F(WaitObserverTest, FindsTheCallersOfABlockedThread) {
  CallerChains* const chains = CallerChains::Map();
  ASSERT_NE(chains, nullptr);
  collector_.set_chains(chains);
  BeginToObserve();
  std::mutex mutex;
  mutex.lock();
  {
    WaitingThread waiter(mutex);
    threads_.Adopt(waiter.tid());
    EXPECT_TRUE(ObserveUntil([&] { return Site(WaitKind::kMutex) != nullptr; }));
    mutex.unlock();
  }
  const spool::WaitSiteRecord* site = Site(WaitKind::kMutex);
  ASSERT_NE(site, nullptr);
  EXPECT_NE(site->chain, 0u);
  EXPECT_NE(site->region, spool::kNone);
}

TEST_F(WaitObserverTest, DoesNothingInAPause) {
  BeginToObserve();
  collector_.lock().Lock(AskTid());
  collector_.Pause();
  collector_.lock().Unlock();
  for (int i = 0; i < 10; ++i) observer_.Moment();
  EXPECT_FALSE(spool_.open());
}

TEST_F(WaitObserverTest, ASandboxEndsTheObservation) {
  BeginToObserve();
  EXPECT_TRUE(ObserveUntil([&] { return sums().moments >= 3; }));
  process_.EnterSandbox();
  const std::uint64_t before = sums().moments;
  observer_.Moment();
  EXPECT_EQ(sums().moments, before);
  observer_.NoteSandbox();
  EXPECT_EQ(sums().state, 2u);
  EXPECT_EQ(sums().stopped_errno, static_cast<std::uint32_t>(EPERM));
  EXPECT_EQ(observer_.NextNs(0), WaitObserver::kNever);
}

TEST_F(WaitObserverTest, ANewStartBeginsTheRecordsAnew) {
  BeginToObserve();
  std::mutex mutex;
  mutex.lock();
  {
    WaitingThread waiter(mutex);
    threads_.Adopt(waiter.tid());
    const auto seen = [&] { return Site(WaitKind::kMutex) != nullptr; };
    EXPECT_TRUE(ObserveUntil(seen));
    collector_.lock().Lock(AskTid());
    collector_.StartAnew();
    collector_.lock().Unlock();
    EXPECT_TRUE(ObserveUntil(seen));
    mutex.unlock();
  }
  EXPECT_EQ(spool_.At<spool::LockRecord>(1)->address, reinterpret_cast<std::uint64_t>(&mutex));
  EXPECT_EQ(spool_.At<spool::LockRecord>(2), nullptr);
}

}  // namespace
}  // namespace csink::agent

#include "agent/threads/threads.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "tests/agent/parts_fixture.h"

namespace csink::agent {
namespace {

using testing::UnknownThread;

class ThreadsTest : public testing::PartsTest {
 protected:
  void SetUp() override {
    PartsTest::SetUp();
    threads_.MakeKey(nullptr);
    Begin("task-clock");
  }
  std::size_t Opens() const { return kernel_.opens().size(); }
};

TEST_F(ThreadsTest, MainHasASlotUnderTheKey) {
  ThreadSlot* main = threads_.OwnSlot();
  ASSERT_NE(main, nullptr);
  EXPECT_TRUE(main->is_main);
  EXPECT_TRUE(main->hooked);
  EXPECT_EQ(main, registry_.Find(AskTid()));
}

TEST_F(ThreadsTest, AThreadIsArmedWhenItStartsAndFreedWhenItEnds) {
  ThreadSlot& slot = *registry_.Claim();
  std::thread([&] {
    EXPECT_TRUE(threads_.Started(slot));
    EXPECT_EQ(threads_.OwnSlot(), &slot);
    EXPECT_EQ(kernel_.opens().back().tid, AskTid());
    EXPECT_EQ(registry_.used(), 2u);
    threads_.Ended(slot);
  }).join();
  EXPECT_EQ(registry_.used(), 1u);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);  // main's
}

TEST_F(ThreadsTest, AThreadThatEndsWaitsForNobody) {
  collector_.lock().Lock(AskTid());
  std::thread([&] {
    ThreadSlot& slot = *threads_.Claim();
    threads_.Started(slot);
    threads_.Ended(slot);
  }).join();
  EXPECT_EQ(registry_.used(), 1u);
  EXPECT_EQ(registry_.ended(), 1u);
  EXPECT_EQ(kernel_.mapped_rings(), 2u);
  collector_.lock().Unlock();
  // The next one ends both.
  std::thread([&] {
    ThreadSlot& slot = *threads_.Claim();
    threads_.Started(slot);
    threads_.Ended(slot);
  }).join();
  EXPECT_EQ(registry_.ended(), 0u);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
}

TEST_F(ThreadsTest, WhoCreatesThreadsHelpsWhereManyHaveEnded) {
  collector_.lock().Lock(AskTid());
  for (int i = 0; i < 70; ++i) {
    std::thread([&] {
      ThreadSlot& slot = *threads_.Claim();
      threads_.Started(slot);
      threads_.Ended(slot);
    }).join();
  }
  EXPECT_EQ(registry_.ended(), 70u) << "nobody waits";
  collector_.lock().Unlock();
  registry_.Release(*threads_.Claim());
  EXPECT_EQ(registry_.ended(), 70u - LeftRings::kSlots);
}

TEST_F(ThreadsTest, TicksOfAThreadThatHasLeftAreNotDelivered) {
  std::thread([&] {
    ThreadSlot& slot = *registry_.Claim();
    threads_.Started(slot);
    slot.timer = static_cast<int>(kernel_.TimerCreate(AskTid(), kDrainSignal, nullptr));
    threads_.Ended(slot);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, kDrainSignal), 1);
    EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
  }).join();
  EXPECT_EQ(registry_.used(), 1u);
}

TEST_F(ThreadsTest, InASandboxAThreadIsNotArmed) {
  ThreadSlot& slot = *registry_.Claim();
  process_.EnterSandbox();
  EXPECT_FALSE(threads_.Started(slot));
  EXPECT_EQ(Opens(), 1u);
  EXPECT_EQ(registry_.used(), 1u);
}

TEST_F(ThreadsTest, AThreadThatStartsInAPauseRests) {
  collector_.Pause();
  collector_.CloseEvents();
  ThreadSlot& slot = *registry_.Claim();
  EXPECT_TRUE(threads_.Started(slot));
  EXPECT_TRUE(slot.resting);
  EXPECT_EQ(Opens(), 1u);
}

TEST_F(ThreadsTest, AnUnknownThreadIsAdoptedAtOnceWhereNoOtherCameThroughAHook) {
  if (threads_.HasUnknown()) GTEST_SKIP() << "the thread sanitizer runs a thread of its own";
  const UnknownThread unknown;
  kernel_.SetThreadCpu(unknown.tid(), 7'000'000);
  threads_.AdoptNew();
  ASSERT_NE(registry_.Find(unknown.tid()), nullptr);
  EXPECT_EQ(collector_.accounts().evidence().late_threads, 1u);
  EXPECT_EQ(collector_.accounts().evidence().late_thread_ns, 7'000'000u);
}

TEST_F(ThreadsTest, AThreadThatItsCreatorAdoptsIsNotLate) {
  kernel_.SetThreadCpu(901, 5);
  threads_.Adopt(901);
  EXPECT_EQ(collector_.accounts().evidence().late_threads, 0u);
}

TEST_F(ThreadsTest, AnUnknownThreadIsAdoptedAtTheSecondSearch) {
  const UnknownThread unknown;
  registry_.Release(*threads_.Claim());  // another thread, which has ended
  EXPECT_TRUE(threads_.HasUnknown());
  threads_.AdoptNew();
  EXPECT_TRUE(threads_.suspects());
  EXPECT_EQ(registry_.Find(unknown.tid()), nullptr);
  threads_.AdoptNew();
  ASSERT_NE(registry_.Find(unknown.tid()), nullptr);
  EXPECT_FALSE(registry_.Find(unknown.tid())->hooked);
  EXPECT_EQ(kernel_.opens().back().tid, unknown.tid());
}

TEST_F(ThreadsTest, ThreadsOfOurOwnAreNeverAdopted) {
  const UnknownThread agent;
  const UnknownThread control;
  threads_.set_agent_thread(agent.tid());
  threads_.set_control_thread(control.tid());
  threads_.AdoptNew();
  threads_.AdoptNew();
  EXPECT_EQ(registry_.Find(agent.tid()), nullptr);
  EXPECT_EQ(registry_.Find(control.tid()), nullptr);
}

TEST_F(ThreadsTest, NoThreadIsASuspectWhileOneIsOnItsWayIn) {
  const UnknownThread unknown;
  threads_.Claim();  // kStarting: its tid is not known yet
  threads_.AdoptNew();
  threads_.AdoptNew();
  EXPECT_FALSE(threads_.suspects());
  EXPECT_EQ(registry_.Find(unknown.tid()), nullptr);
}

TEST_F(ThreadsTest, EarlierThreadsAreAdoptedAtOnce) {
  const UnknownThread unknown;
  threads_.AdoptEarlier();
  EXPECT_NE(registry_.Find(unknown.tid()), nullptr);
}

TEST_F(ThreadsTest, AThreadWithoutAClockIsRetired) {
  threads_.Adopt(900);  // the fake kernel knows no such thread
  ASSERT_NE(registry_.Find(900), nullptr);
  kernel_.SetThreadCpu(901, 5);
  threads_.Adopt(901);
  threads_.RetireDead();
  EXPECT_EQ(registry_.Find(900), nullptr);
  EXPECT_NE(registry_.Find(901), nullptr);
}

TEST_F(ThreadsTest, MainHasGoneWhenItsSlotIsFree) {
  EXPECT_FALSE(threads_.MainHasGone());
  threads_.Ended(*threads_.OwnSlot());
  EXPECT_TRUE(threads_.MainHasGone());
}

}  // namespace
}  // namespace csink::agent

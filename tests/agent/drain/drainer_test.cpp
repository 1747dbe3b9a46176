#include "agent/drain/drainer.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>

#include <thread>

#include "tests/agent/parts_fixture.h"

namespace csink::agent {
namespace {

using testing::TheStandIns;

class DrainerTest : public testing::PartsTest {
 protected:
  /// The last timer fires.
  bool Fire() { return Send(SI_TIMER, kernel_.timers().back().value); }
  bool Send(int code, void* value, int timer = 0) {
    siginfo_t info = {};
    info.si_code = code;
    info.si_value.sival_ptr = value;
    info.si_timerid = timer;
    ucontext_t context = {};
    return drainer_.OnSignal(info, &context);
  }
  void Sample(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) kernel_.ring(0).Sample(0x1000);
  }
};

TEST_F(DrainerTest, OneThreadIsDrainedByATimerOnItsClock) {
  Begin("task-clock");
  drainer_.Start(/*several=*/false);
  ASSERT_EQ(kernel_.timers().size(), 1u);
  EXPECT_EQ(kernel_.timers()[0].tid, AskTid());
  EXPECT_EQ(kernel_.timers()[0].signal, kDrainSignal);
  EXPECT_EQ(kernel_.timers()[0].interval_ns, Drainer::kDrainIntervalNs);
  EXPECT_EQ(TheStandIns().threads_made, 0);
}

TEST_F(DrainerTest, TheDrainSignalDrains) {
  config_.random_start = false;  // else the last sample stays for the event's replacement
  Begin("task-clock");
  drainer_.Start(false);
  Sample(3);
  EXPECT_TRUE(Fire());
  EXPECT_EQ(collector_.accounts().samples(), 3u);
}

TEST_F(DrainerTest, ASignalOfTheProgramIsNotOurs) {
  Begin("task-clock");
  drainer_.Start(false);
  Sample(3);
  int other = 0;  // the value of a timer of the program's
  EXPECT_FALSE(Send(SI_USER, nullptr));
  EXPECT_FALSE(Send(SI_TIMER, &other));
  EXPECT_EQ(collector_.accounts().samples(), 0u);
}

TEST_F(DrainerTest, ADrainSignalLeavesAnInterruptedDrainAlone) {
  Begin("task-clock");
  drainer_.Start(false);
  Sample(3);
  collector_.lock().Lock(AskTid());
  EXPECT_TRUE(Fire());
  collector_.lock().Unlock();
  EXPECT_EQ(collector_.accounts().samples(), 0u);
}

TEST_F(DrainerTest, TheFirstThreadMovesTheDrainToTheAgentThread) {
  Begin("task-clock");
  drainer_.Start(false);
  drainer_.StartThread();
  EXPECT_EQ(TheStandIns().threads_made, 1);
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  drainer_.StartThread();  // the next one
  EXPECT_EQ(TheStandIns().threads_made, 1);
}

TEST_F(DrainerTest, WithoutTheDrainSignalTheAgentThreadDrains) {
  TheStandIns().drain_signal_is_ours = false;
  Begin("task-clock");
  drainer_.Start(false);
  EXPECT_EQ(kernel_.timers().size(), 0u);
  EXPECT_EQ(TheStandIns().threads_made, 1);
}

TEST_F(DrainerTest, ASignalThatTheProgramTakesIsReplaced) {
  Begin("task-clock");
  drainer_.Start(false);
  drainer_.ReplaceSignal();
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  EXPECT_EQ(TheStandIns().threads_made, 1);
}

TEST_F(DrainerTest, InASandboxNoThreadIsMade) {
  Begin("task-clock");
  process_.EnterSandbox();
  drainer_.StartThread();
  EXPECT_EQ(TheStandIns().threads_made, 0);
}

TEST_F(DrainerTest, TheAgentThreadMakesRoomForATaskOfTheProgram) {
  Begin("task-clock");
  drainer_.Start(false);
  drainer_.StartThread();
  std::thread agent_thread([this] { drainer_.RunThread(); });
  EXPECT_TRUE(drainer_.YieldThread());
  agent_thread.join();
  ASSERT_EQ(kernel_.timers().size(), 2u);  // the timer drains again
  EXPECT_FALSE(kernel_.timers()[1].deleted);
  EXPECT_FALSE(drainer_.YieldThread());
  drainer_.StartThread();
  EXPECT_EQ(TheStandIns().threads_made, 1);  // there is no room
  drainer_.ThreadEnded();
  drainer_.StartThread();
  EXPECT_EQ(TheStandIns().threads_made, 2);
}

// Threads may be refused for other reasons than the agent thread's place; those that can be made
// later are swept.
TEST_F(DrainerTest, AYieldInVainIsUndoneByTheNextThread) {
  Begin("task-clock");
  drainer_.Start(false);
  drainer_.ThreadCreated();
  EXPECT_EQ(TheStandIns().threads_made, 0);  // nothing was refused
  drainer_.StartThread();
  std::thread agent_thread([this] { drainer_.RunThread(); });
  EXPECT_TRUE(drainer_.YieldThread());
  agent_thread.join();
  drainer_.YieldedInVain();
  drainer_.StartThread();
  EXPECT_EQ(TheStandIns().threads_made, 1);  // before the creation
  drainer_.ThreadCreated();
  EXPECT_EQ(TheStandIns().threads_made, 2);
  drainer_.ThreadCreated();
  EXPECT_EQ(TheStandIns().threads_made, 2);
}

TEST_F(DrainerTest, WithoutAnAgentThreadThereIsNoRoomToMake) {
  Begin("task-clock");
  drainer_.Start(false);
  EXPECT_FALSE(drainer_.YieldThread());
  EXPECT_FALSE(kernel_.timers()[0].deleted);
}

TEST_F(DrainerTest, TicksOfTheTimerSourceDrainNowAndThen) {
  config_.source = SourceChoice::kTimer;
  Begin("task-clock");
  drainer_.Start(false);
  ASSERT_EQ(kernel_.timers().size(), 1u);  // the source's; no drain timer
  for (unsigned i = 1; i < Drainer::kTicksPerDrain; ++i) EXPECT_TRUE(Fire());
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  EXPECT_TRUE(Fire());
  EXPECT_EQ(collector_.accounts().samples(), Drainer::kTicksPerDrain);
}

TEST_F(DrainerTest, ASourceThatDrainsItselfNeedsNoReplacement) {
  config_.source = SourceChoice::kTimer;
  Begin("task-clock");
  drainer_.Start(false);
  drainer_.ReplaceSignal();
  EXPECT_FALSE(kernel_.timers()[0].deleted);
  EXPECT_EQ(TheStandIns().threads_made, 0);
}

TEST_F(DrainerTest, AllTimersOfTheDrainSignalAreStoppedOnce) {
  Begin("task-clock");
  drainer_.Start(false);
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EMFILE; });
  ThreadSlot& other = *registry_.Claim();
  ASSERT_TRUE(events_.Arm(other, 900));  // by a timer, because it got no ring
  other.state = SlotState::kLive;
  drainer_.StopTicks("test");
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  EXPECT_TRUE(kernel_.timers()[1].deleted);
  drainer_.StopTicks("test");  // a timer that is deleted twice fails the test
  EXPECT_FALSE(events_.Arm(*registry_.Claim(), 901));
}

TEST_F(DrainerTest, TicksOfTheTimerSourceMoveToAnotherSignal) {
  config_.source = SourceChoice::kTimer;
  Begin("task-clock");
  drainer_.Start(false);
  EXPECT_TRUE(Fire());
  EXPECT_TRUE(drainer_.MoveTicks());
  EXPECT_TRUE(TheStandIns().moved);
  EXPECT_EQ(collector_.accounts().samples(), 1u);  // what waited was drained
  ASSERT_EQ(kernel_.timers().size(), 2u);
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  EXPECT_FALSE(kernel_.timers()[1].deleted);
  EXPECT_EQ(kernel_.timers()[1].signal, kOtherDrainSignal);
  // New threads have the new signal, too.
  ThreadSlot& other = *registry_.Claim();
  ASSERT_TRUE(events_.Arm(other, 900));
  EXPECT_EQ(kernel_.timers()[2].signal, kOtherDrainSignal);
}

TEST_F(DrainerTest, TicksDoNotMoveWithoutAnotherSignalOrWithRings) {
  Begin("task-clock");
  drainer_.Start(false);
  EXPECT_FALSE(drainer_.MoveTicks());  // the agent thread drains rings instead
  EXPECT_FALSE(kernel_.timers()[0].deleted);
}

TEST_F(DrainerTest, TicksStayWhereTheOtherSignalIsTaken) {
  config_.source = SourceChoice::kTimer;
  TheStandIns().other_signal_is_free = false;
  Begin("task-clock");
  drainer_.Start(false);
  EXPECT_FALSE(drainer_.MoveTicks());
  EXPECT_FALSE(kernel_.timers()[0].deleted);
  EXPECT_FALSE(TheStandIns().moved);
}

TEST_F(DrainerTest, InASandboxNoTimerIsStopped) {
  Begin("task-clock");
  drainer_.Start(false);
  process_.EnterSandbox();
  drainer_.StopTicks("test");
  EXPECT_FALSE(kernel_.timers()[0].deleted);
}

TEST_F(DrainerTest, AForkedChildBeginsWithoutTimerAndThread) {
  Begin("task-clock");
  drainer_.Start(false);
  drainer_.StartThread();
  drainer_.ForgetAfterFork();
  drainer_.Start(false);
  EXPECT_EQ(kernel_.timers().size(), 2u);
  EXPECT_FALSE(kernel_.timers()[1].deleted);
}

TEST_F(DrainerTest, AJoinStartsTheAgentThreadWhereAThreadIsUnknown) {
  Begin("task-clock");
  drainer_.Start(false);
  if (threads_.HasUnknown()) GTEST_SKIP() << "the thread sanitizer runs a thread of its own";
  drainer_.BeforeJoin();
  EXPECT_EQ(TheStandIns().threads_made, 0);
  const testing::UnknownThread unknown;
  drainer_.BeforeJoin();
  EXPECT_EQ(TheStandIns().threads_made, 1);
}

}  // namespace
}  // namespace csink::agent

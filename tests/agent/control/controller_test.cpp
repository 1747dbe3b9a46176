#include "agent/control/controller.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <string>

#include "core/machine/clocks.h"
#include "tests/agent/parts_fixture.h"

namespace csink::agent {
namespace {

class ControllerTest : public testing::PartsTest {
 protected:
  /// `times` samples in main's ring.
  void Sample(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) kernel_.ring(kernel_.rings_ever() - 1).Sample(0x1000);
  }

  Controller control_{process_, registry_, spool_,  collector_,  meter_,
                      events_,  threads_,  config_, start_state_};
};

TEST_F(ControllerTest, APauseThrowsSamplesAwayUntilTheResume) {
  config_.random_start = false;
  Begin("task-clock");
  Sample(3);
  EXPECT_EQ(control_.Pause(), 0);
  EXPECT_EQ(control_.sampling(), Sampling::kPaused);
  Sample(4);
  EXPECT_EQ(control_.Resume(), 0);
  EXPECT_EQ(control_.sampling(), Sampling::kRunning);
  Sample(5);
  collector_.DrainAll();
  EXPECT_EQ(control_.Status().samples, 8u);
}

TEST_F(ControllerTest, AStopTakesTheEventsAwayForGood) {
  Begin("task-clock");
  EXPECT_EQ(control_.Stop(), 0);
  EXPECT_EQ(control_.sampling(), Sampling::kStopped);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(control_.Resume(), EPERM);
  EXPECT_EQ(control_.Pause(), 0);
  EXPECT_EQ(control_.sampling(), Sampling::kStopped);
}

TEST_F(ControllerTest, AProgramThatStartsPausedHasNoEventsUntilTheResume) {
  config_.start_paused = true;
  Begin("task-clock");
  control_.BeginSampling();
  EXPECT_EQ(control_.sampling(), Sampling::kPaused);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_FALSE(control_.state().by_hand);  // the settings' pause, not a request
  EXPECT_EQ(control_.Resume(), 0);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  EXPECT_TRUE(control_.state().by_hand);
}

TEST_F(ControllerTest, TheFirstResumeStartsTheClockOfTheDuration) {
  config_.start_paused = true;
  config_.duration_ns = 1'000'000'000;
  Begin("task-clock");
  control_.BeginSampling();
  EXPECT_EQ(control_.state().stop_at_ns.load(), 0u);
  const std::uint64_t before = MonotonicNs();
  EXPECT_EQ(control_.Resume(), 0);
  const std::uint64_t stop_at = control_.state().stop_at_ns.load();
  EXPECT_GE(stop_at, before + config_.duration_ns);
  EXPECT_EQ(control_.Pause(), 0);
  EXPECT_EQ(control_.Resume(), 0);
  EXPECT_EQ(control_.state().stop_at_ns.load(), stop_at);  // once
}

TEST_F(ControllerTest, RequestsSayWhyTheyAreRefused) {
  EXPECT_EQ(control_.Pause(), ESHUTDOWN);  // not active yet
  Begin("task-clock");
  collector_.lock().Lock(AskTid());
  EXPECT_EQ(control_.Pause(), EBUSY);
  collector_.lock().Unlock();
  process_.ClaimEnd(AskTid());
  EXPECT_EQ(control_.Pause(), ESHUTDOWN);
  process_.EnterSandbox();
  EXPECT_EQ(control_.Pause(), EPERM);
  EXPECT_EQ(control_.sampling(), Sampling::kRunning);
  EXPECT_FALSE(collector_.lock().HeldBy(AskTid()));
}

TEST_F(ControllerTest, AMarkIsAShortText) {
  Begin("task-clock");
  EXPECT_EQ(control_.Mark(""), EINVAL);
  EXPECT_EQ(control_.Mark("a\nb"), EINVAL);
  EXPECT_EQ(control_.Mark(std::string(CurrentPhase::kMaxNameBytes + 1, 'a')), E2BIG);
  EXPECT_EQ(control_.Mark("load"), 0);
  EXPECT_EQ(control_.Status().mark.view(), "load");
}

TEST_F(ControllerTest, ANewStartForgetsTheSamples) {
  config_.random_start = false;
  Begin("task-clock");
  Sample(3);
  EXPECT_EQ(control_.StartAnew(), 0);
  EXPECT_EQ(control_.Status().samples, 0u);
  EXPECT_NE(start_state_.monotonic_ns, 0u);  // the report begins here
}

TEST_F(ControllerTest, ASnapshotNeedsSamples) {
  Begin("task-clock");
  EXPECT_EQ(control_.Snapshot(""), ENODATA);
  EXPECT_EQ(control_.Snapshot(std::string(5000, 'a')), E2BIG);
}

// A fifo that the control thread made between the handover and the exec would belong to no image.
TEST_F(ControllerTest, BetweenHandoverAndExecNoFifoIsMade) {
  config_.control.Add("/nowhere/fifo");
  Begin("task-clock");
  const pid_t control_thread = 1;
  control_.HandOn(true);
  EXPECT_FALSE(control_.state().fifo_lock.TryLock(control_thread));
  control_.HandOn(true);   // Of a handler that interrupts the first exec
  control_.HandOn(false);  // The exec failed
  ASSERT_TRUE(control_.state().fifo_lock.TryLock(control_thread));
  control_.state().fifo_lock.Unlock();
  control_.RemoveFifos();
  EXPECT_FALSE(control_.state().fifo_lock.TryLock(control_thread));
}

TEST_F(ControllerTest, AForkedChildLeavesTheFifosToItsParent) {
  control_.state().commands.path.Add("/nowhere/fifo");
  control_.state().serves = true;
  control_.state().ResetAfterFork();
  EXPECT_EQ(control_.state().commands.path.size(), 0u);
  EXPECT_FALSE(control_.state().serves);
}

}  // namespace
}  // namespace csink::agent

#include "agent/start/sampled_events.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "core/machine/clocks.h"
#include "tests/agent/parts_fixture.h"
#include "tests/fakes/captured_stderr.h"

namespace csink::agent {
namespace {

class SampledEventsTest : public testing::PartsTest {
 protected:
  void Choose(const char* events, const CoreKinds& kinds = {}) {
    config_.events.Add(events);
    events_.Choose(&kinds);
  }
  bool ArmMain() {
    slot_ = registry_.Claim();
    slot_->is_main = true;
    slot_->tid = AskTid();
    const bool armed = events_.ArmMain(*slot_, AskTid());
    slot_->state = SlotState::kLive;
    return armed;
  }
  /// More than an event may take for its first count.
  void BurnUserTime() {
    std::uint64_t user = 0, system = 0;
    do {
      for (int i = 0; i < 1'000'000; ++i) __asm__ volatile("");
      ProcessCpuNs(&user, &system);
    } while (user < start_state_.user_ns + 60'000'000);
  }
  std::string Names() const {
    std::string names;
    for (std::size_t i = 0; i < events_.list().count; ++i) {
      names += std::string(i ? "," : "") + events_.list().events[i].name;
    }
    return names;
  }

  ThreadSlot* slot_ = nullptr;
};

TEST_F(SampledEventsTest, EventsOfTheSettingsAreArmedOnTheMainThread) {
  Choose("task-clock,context-switches");
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(Names(), "task-clock,context-switches");
  EXPECT_EQ(slot_->ring_count, 2);
  EXPECT_EQ(&events_.source(), &kRingSource);
}

constexpr CoreKinds kHybrid = {{4, 10}, 2, {"cpu_core", "cpu_atom"}};

TEST_F(SampledEventsTest, OnAHybridAnEventIsSampledOnEachKindOfCoresInOneColumn) {
  Choose("cycles,task-clock", kHybrid);
  const csink::testing::CapturedStderr captured;
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(captured.text(), "");
  EXPECT_EQ(Names(), "cycles,task-clock");
  EXPECT_EQ(slot_->ring_count, 3);
  EXPECT_EQ(rings_.columns(), 2u);
}

TEST_F(SampledEventsTest, OnAHybridTooManyEventsAreTold) {
  Choose("cycles,instructions,branches,branch-misses,cache-misses", kHybrid);
  const csink::testing::CapturedStderr captured;
  EXPECT_TRUE(ArmMain());
  EXPECT_NE(captured.text().find("on the performance cores only"), std::string::npos);
  EXPECT_EQ(slot_->ring_count, 8);
}

TEST_F(SampledEventsTest, OnAHybridARawCodeIsThatOfThePerformanceCores) {
  Choose("r3c,task-clock", kHybrid);
  const csink::testing::CapturedStderr captured;
  EXPECT_TRUE(ArmMain());
  EXPECT_NE(captured.text().find("event r3c counts on the cores of cpu_core alone"),
            std::string::npos)
      << captured.text();
  EXPECT_EQ(slot_->ring_count, 2);
}

TEST_F(SampledEventsTest, AnEventThatTheKernelRefusesIsLeftOut) {
  kernel_.SetOpenRule([](const perf_event_attr& attr) {
    return attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES ? -ENOENT : 0;
  });
  Choose("task-clock,context-switches");
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(Names(), "task-clock");
  EXPECT_EQ(slot_->ring_count, 1);
}

TEST_F(SampledEventsTest, WherePerfIsRefusedATimerSamplesTheClock) {
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EACCES; });
  Choose("task-clock");
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(&events_.source(), &kTimerSource);
  EXPECT_EQ(slot_->ring_count, 0);
  ASSERT_EQ(kernel_.timers().size(), 1u);
  EXPECT_EQ(kernel_.timers()[0].signal, kDrainSignal);
  EXPECT_EQ(kernel_.timers()[0].interval_ns, events_.ClockPeriodNs());
}

/// The agent's own choice on a machine that has cycles, whose cost at a switch is not stored.
class OwnChoiceTest : public SampledEventsTest {
 protected:
  void SetUp() override {
    SampledEventsTest::SetUp();
    setenv("CSINK_CACHE", cache_.path().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("CSINK_CACHE");
    SampledEventsTest::TearDown();
  }
  csink::testing::TemporaryFolder cache_;
};

TEST_F(OwnChoiceTest, CyclesAreSampledWhereTheyCount) {
  Choose("");
  kernel_.SetTimesOfMaps(90'000, 90'000);
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(Names(), "cycles");
}

TEST_F(OwnChoiceTest, TheClockIsSampledWhereAnotherProgramHoldsTheCounters) {
  Choose("");
  kernel_.SetTimesOfMaps(90'000, 0);
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(Names(), "task-clock");
  EXPECT_EQ(slot_->ring_count, 1);
  EXPECT_EQ(kernel_.opens().back().attr.config, PERF_COUNT_SW_TASK_CLOCK);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  EXPECT_EQ(events_.source_reason().view(),
            "cycles had no counter at the start; task-clock "
            "instead (csink doctor)");
}

TEST_F(OwnChoiceTest, CyclesThatTheUserNamedAreKept) {
  Choose("cycles");
  kernel_.SetTimesOfMaps(90'000, 0);
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(Names(), "cycles");
}

TEST_F(SampledEventsTest, EventsThatCountNothingGiveWayToTheClockAfterAWhile) {
  Begin("instructions,branches");
  std::uint64_t system = 0;
  ProcessCpuNs(&start_state_.user_ns, &system);
  const csink::testing::CapturedStderr captured;
  events_.LeaveEventsThatDoNotCount();
  EXPECT_EQ(Names(), "instructions,branches") << "no user time has passed";
  BurnUserTime();
  events_.LeaveEventsThatDoNotCount();
  EXPECT_EQ(Names(), "task-clock");
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  EXPECT_NE(
      captured.text().find("instructions:u and the other events counted nothing in the first"),
      std::string::npos)
      << captured.text();
  EXPECT_NE(captured.text().find("sampling task-clock from now on"), std::string::npos);
}

TEST_F(SampledEventsTest, AnEventThatCountedIsNotLeft) {
  Begin("instructions");
  std::uint64_t system = 0;
  ProcessCpuNs(&start_state_.user_ns, &system);
  kernel_.ring(0).SetCount(1000);
  BurnUserTime();
  events_.LeaveEventsThatDoNotCount();
  EXPECT_EQ(Names(), "instructions");
}

TEST_F(OwnChoiceTest, TheClockIsSampledWhereTheProcessorHasNoCycles) {
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.type == PERF_TYPE_HARDWARE ? -ENOENT : 0; });
  Choose("");
  EXPECT_TRUE(ArmMain());
  EXPECT_EQ(Names(), "task-clock");
  EXPECT_EQ(events_.source_reason().view(), "no hardware PMU on this machine (csink doctor)");
}

TEST_F(SampledEventsTest, KernelModeIsGivenUpWhereItIsNotPermitted) {
  kernel_.SetOpenRule(
      [](const perf_event_attr& attr) { return attr.exclude_kernel ? 0 : -EACCES; });
  config_.kernel = true;
  Choose("task-clock");
  EXPECT_TRUE(ArmMain());
  EXPECT_FALSE(config_.kernel);
  EXPECT_EQ(&events_.source(), &kRingSource);
  EXPECT_TRUE(kernel_.opens().back().attr.exclude_kernel);
}

TEST_F(SampledEventsTest, AThreadWithoutARingGetsATimerForTheClock) {
  Choose("task-clock");
  ASSERT_TRUE(ArmMain());
  kernel_.SetOpenRule([](const perf_event_attr&) { return -EMFILE; });
  ThreadSlot& other = *registry_.Claim();
  EXPECT_TRUE(events_.Arm(other, 900));
  EXPECT_GE(other.timer, 0);
  EXPECT_EQ(kernel_.timers().back().tid, 900);
  EXPECT_EQ(&events_.source(), &kRingSource);
}

TEST_F(SampledEventsTest, InASandboxNoThreadIsArmed) {
  Choose("task-clock");
  ASSERT_TRUE(ArmMain());
  process_.EnterSandbox();
  ThreadSlot& other = *registry_.Claim();
  EXPECT_FALSE(events_.Arm(other, 900));
  EXPECT_EQ(kernel_.opens().size(), 1u);
}

TEST_F(SampledEventsTest, ForbiddenTimersAreTakenAwayAndNotArmedAgain) {
  config_.source = SourceChoice::kTimer;
  Choose("task-clock");
  ASSERT_TRUE(ArmMain());
  EXPECT_TRUE(events_.ForbidTimers());
  events_.TakeTimersAway("test");
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  EXPECT_LT(slot_->timer, 0);
  ThreadSlot& other = *registry_.Claim();
  EXPECT_FALSE(events_.Arm(other, 900));
  EXPECT_FALSE(events_.ForbidTimers());  // once
}

}  // namespace
}  // namespace csink::agent

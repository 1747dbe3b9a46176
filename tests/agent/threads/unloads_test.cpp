#include "agent/threads/unloads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/util/thread_id.h"
#include "tests/fakes/fake_kernel.h"

namespace csink::agent {
namespace {

using csink::testing::FakeKernel;

ThreadRegistry g_registry;

struct NoSpool final : SpoolFactory {
  bool MakeSpool(SpoolWriter&) noexcept override { return false; }
};

class UnloadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    EventList events;
    events.count = 1;
    events.events[0].type = PERF_TYPE_SOFTWARE;
    events.events[0].kind = EventClass::kClock;
    events.events[0].period = 1'000'003;
    rings_.Configure(events);
    process_.RememberProcess();
    process_.Activate();
    slot_ = g_registry.Claim();
    slot_->tid = AskTid();
    kernel_.SetThreadCpu(AskTid(), 1);
    ASSERT_TRUE(rings_.Arm(*slot_, AskTid()));
    slot_->state = SlotState::kLive;
  }
  void TearDown() override {
    rings_.Disarm(*slot_);
    g_registry.ResetAfterFork();
  }
  void Unload(std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
      unloads_.Before(slot_);
      unloads_.After();
    }
  }
  bool LastEventReportsMappings() const { return kernel_.opens().back().attr.mmap != 0; }

  FakeKernel kernel_;
  RingSource rings_{kernel_};
  TimerSource timers_{kernel_, g_registry, 23};
  SpoolWriter spool_;
  RegionIndex regions_;
  NoSpool factory_;
  Collector collector_{kernel_, g_registry, rings_, timers_, spool_, regions_, factory_};
  ProcessState process_;
  Unloads unloads_{process_, g_registry, rings_, spool_, collector_};
  ThreadSlot* slot_ = nullptr;
};

TEST_F(UnloadsTest, FewUnloadsLeaveTheRingsAlone) {
  Unload(Unloads::kStormUnloads);
  EXPECT_EQ(kernel_.opens().size(), 1u);
  EXPECT_TRUE(LastEventReportsMappings());
}

TEST_F(UnloadsTest, InAStormTheRingsReportNoMappings) {
  Unload(Unloads::kStormUnloads + 1);
  EXPECT_EQ(kernel_.opens().size(), 2u);  // the thread's event was opened again
  EXPECT_FALSE(LastEventReportsMappings());
  EXPECT_FALSE(slot_->records_mappings);
}

TEST_F(UnloadsTest, InAStormAThreadWithoutSamplesNeedsNoLock) {
  Unload(Unloads::kStormUnloads + 1);
  collector_.lock().Lock(AskTid() + 1);  // would wait for ever
  Unload(1);
  collector_.lock().Unlock();
}

TEST_F(UnloadsTest, AThreadThatHoldsTheLockIsNotStopped) {
  collector_.lock().Lock(AskTid());
  Unload(Unloads::kStormUnloads + 1);
  collector_.lock().Unlock();
  EXPECT_EQ(kernel_.opens().size(), 1u);  // not even counted
  EXPECT_TRUE(LastEventReportsMappings());
}

}  // namespace
}  // namespace csink::agent

#include "agent/threads/vfork_children.h"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <vector>

#include "tests/agent/lifecycle_fixture.h"

namespace csink::agent {
namespace {

using testing::TheStandIns;

/// The test's own process stands for parent and child.
class VforkChildrenTest : public testing::LifecycleTest {
 protected:
  void TearDown() override {
    vfork_children_.ForgetAfterFork();
    LifecycleTest::TearDown();
  }
  const spool::Evidence& evidence() { return collector_.accounts().evidence(); }
  /// The signal of the child's timer, at `pc`.
  bool Tick(std::uint64_t pc) {
    siginfo_t info = {};
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = kernel_.timers().back().value;
    ucontext_t context = {};
#if defined(__x86_64__)
    context.uc_mcontext.gregs[REG_RIP] = static_cast<long>(pc);
#else
    context.uc_mcontext.pc = pc;
#endif
    return vfork_children_.OnTick(info, &context);
  }
};

TEST_F(VforkChildrenTest, AShortChildIsCounted) {
  Begin("task-clock");
  VforkChild* child = vfork_children_.Before();
  ASSERT_NE(child, nullptr);
  vfork_children_.Started(*child);
  ASSERT_EQ(kernel_.timers().size(), 1u);
  EXPECT_EQ(kernel_.timers()[0].tid, getpid());
  EXPECT_EQ(kernel_.opens().size(), 1u) << "main's alone";
  vfork_children_.Ended(spool::End::kExec, 0);
  vfork_children_.After(*child, getpid());
  EXPECT_EQ(evidence().vfork_children, 1u);
  EXPECT_GT(evidence().vfork_child_ns, 0u);
  EXPECT_EQ(evidence().vfork_ended_ns, 0u);
  EXPECT_FALSE(spool_.open());
  EXPECT_FALSE(vfork_children_.any());
}

TEST_F(VforkChildrenTest, ALongChildIsAProcessOfItsOwn) {
  Begin("task-clock");
  VforkChild* child = vfork_children_.Before();
  vfork_children_.Started(*child);
  ASSERT_TRUE(Tick(0x1000));
  ASSERT_EQ(kernel_.opens().size(), 2u);
  EXPECT_EQ(kernel_.opens()[1].tid, getpid());
  kernel_.ring(kernel_.rings_ever() - 1).Sample(0x2000);
  kernel_.ring(kernel_.rings_ever() - 1).Sample(0x2000);
  vfork_children_.Ended(spool::End::kQuickExit, 7);
  vfork_children_.After(*child, getpid());
  ASSERT_TRUE(spool_.open());
  const auto* record = spool_.At<spool::ThreadRecord>(1);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->flags, spool::kThreadIsChild);
  EXPECT_EQ(static_cast<spool::End>(record->child_end & 0xffffffff), spool::End::kQuickExit);
  EXPECT_EQ(record->child_end >> 32, 7u);
  EXPECT_EQ(spool_.header().events[0].samples, 3u);
  EXPECT_GT(record->sampled_ns, 2'000'000u);
  EXPECT_GT(evidence().vfork_ended_ns, 0u);
}

TEST_F(VforkChildrenTest, WithoutEventsTheTicksAreTheSamples) {
  Begin("task-clock");
  kernel_.RefuseOpens(EMFILE, 3);
  VforkChild* child = vfork_children_.Before();
  vfork_children_.Started(*child);
  EXPECT_TRUE(Tick(0x1000));
  EXPECT_GT(kernel_.timers()[0].interval_ns, 0u) << "the timer goes on";
  vfork_children_.After(*child, getpid());
  ASSERT_TRUE(spool_.open());
  EXPECT_EQ(spool_.header().events[0].samples, 1u);
}

TEST_F(VforkChildrenTest, TheEventsAreOpenedAtOnceWhereTheSignalIsThePrograms) {
  Begin("task-clock");
  TheStandIns().drain_signal_is_ours = false;
  VforkChild* child = vfork_children_.Before();
  vfork_children_.Started(*child);
  EXPECT_EQ(kernel_.timers().size(), 0u);
  EXPECT_EQ(kernel_.opens().size(), 2u);
  vfork_children_.After(*child, -EAGAIN);
}

TEST_F(VforkChildrenTest, OneChildInEachThreadAndNoMoreThanThereIsRoom) {
  Begin("task-clock");
  std::vector<VforkChild*> children;
  while (VforkChild* child = vfork_children_.Before()) children.push_back(child);
  EXPECT_EQ(children.size(), 8u);
  for (VforkChild* child : children) vfork_children_.After(*child, -EAGAIN);
  EXPECT_EQ(evidence().vfork_children, 0u);
  EXPECT_NE(vfork_children_.Before(), nullptr);
}

TEST_F(VforkChildrenTest, NothingIsDoneInASandbox) {
  Begin("task-clock");
  process_.EnterSandbox();
  EXPECT_EQ(vfork_children_.Before(), nullptr);
}

TEST_F(VforkChildrenTest, SignalsOfOtherTimersAreNotTaken) {
  Begin("task-clock");
  siginfo_t info = {};
  info.si_code = SI_TIMER;
  info.si_value.sival_ptr = reinterpret_cast<void*>(0x1003);
  EXPECT_FALSE(vfork_children_.OnTick(info, nullptr));
}

TEST_F(VforkChildrenTest, ASpawnedChildIsCounted) {
  Begin("task-clock");
  kernel_.SetProcessCpu(4711, 90'000);
  vfork_children_.Spawned(4711);
  vfork_children_.Spawned(4712);
  EXPECT_EQ(evidence().spawned_children, 2u);
  EXPECT_EQ(evidence().spawned_child_ns, 90'000u);
}

}  // namespace
}  // namespace csink::agent

#include "agent/lifecycle/execs.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "agent/process/task_list.h"
#include "tests/agent/lifecycle_fixture.h"

namespace csink::agent {
namespace {

using testing::kEnough;
using testing::TheStandIns;

class ExecsTest : public testing::LifecycleTest {};

TEST_F(ExecsTest, AnExecDrainsAndKeepsTheLock) {
  Begin("task-clock");
  Sample(kEnough);
  execs_.Before();
  EXPECT_EQ(collector_.accounts().samples(), kEnough);
  EXPECT_TRUE(collector_.lock().HeldBy(AskTid()));
  EXPECT_TRUE(TheStandIns().mask_shown);
  ASSERT_TRUE(spool_.open());
  EXPECT_EQ(spool_.header().state, spool::State::kComplete);
  EXPECT_EQ(spool_.header().end, spool::End::kExec);
}

TEST_F(ExecsTest, AnExecThatFailsIsReverted) {
  Begin("task-clock");
  Sample(kEnough);
  execs_.Before();
  execs_.Failed();
  EXPECT_TRUE(LockIsFree());
  EXPECT_FALSE(TheStandIns().mask_shown);
  EXPECT_EQ(spool_.header().state, spool::State::kLive);
  EXPECT_EQ(spool_.header().end, spool::End::kUnknown);
}

TEST_F(ExecsTest, AHandlerThatInterruptedADrainExecsWithoutOne) {
  Begin("task-clock");
  Sample(kEnough);
  collector_.lock().Lock(AskTid());
  execs_.Before();
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  execs_.Failed();
  EXPECT_TRUE(collector_.lock().HeldBy(AskTid()));  // still the interrupted drain's
  collector_.lock().Unlock();
}

TEST_F(ExecsTest, InASandboxNothingIsDrained) {
  Begin("task-clock");
  Sample(kEnough);
  process_.EnterSandbox();
  execs_.Before();
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  EXPECT_TRUE(LockIsFree());
}

TEST_F(ExecsTest, AVforkChildOnlyShowsTheMask) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer's clone makes this thread's later synchronisation unseen";
#endif
  config_.include.Add("leaf");
  ASSERT_TRUE(selection_.AtStart(config_, start_state_));
  Begin("task-clock");
  Sample(kEnough);
  // As vfork does, in this memory; a stack of its own, so that no frame returns twice.
  alignas(16) static unsigned char stack[64 * 1024];
  const auto before = [](void* execs) {
    static_cast<Execs*>(execs)->Before();
    return 0;
  };
  const pid_t child =
      clone(before, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &execs_);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(TheStandIns().mask_shown);
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  EXPECT_TRUE(LockIsFree());
  EXPECT_FALSE(selection_.AtEnd());  // this process has a child now
}

TEST_F(ExecsTest, InATreeAForkedChildThatExecsAtOnceLeavesNothing) {
  if (!IsAlone()) GTEST_SKIP() << "the sanitizer runs a thread of its own";
  JoinTree();
  Begin("task-clock");
  forks_.InChild();
  execs_.Before();
  execs_.Failed();
  EXPECT_FALSE(spool_.open());
  EXPECT_EQ(tree_.files(), 0u);
}

}  // namespace
}  // namespace csink::agent

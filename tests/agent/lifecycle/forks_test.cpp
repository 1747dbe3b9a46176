#include "agent/lifecycle/forks.h"

#include <gtest/gtest.h>

#include "tests/agent/lifecycle_fixture.h"

namespace csink::agent {
namespace {

using testing::TheStandIns;
using testing::UnknownThread;

class ForksTest : public testing::LifecycleTest {};

TEST_F(ForksTest, AChildForgetsItsParentAndIsArmedAnew) {
  Begin("task-clock");
  drainer_.Start(false);
  Sample(3);
  collector_.DrainAll();
  collector_.lock().Lock(AskTid() + 1);  // a thread of the parent, in a drain
  process_.ClaimEnd(AskTid() + 1);
  forks_.InChild();
  EXPECT_TRUE(process_.active());
  EXPECT_TRUE(process_.forked());
  EXPECT_FALSE(process_.ending());
  EXPECT_TRUE(LockIsFree());
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  EXPECT_EQ(registry_.used(), 1u);
  EXPECT_EQ(kernel_.opens().size(), 2u);
  ASSERT_EQ(kernel_.timers().size(), 2u);  // the child's drain timer
  EXPECT_FALSE(kernel_.timers()[1].deleted);
  EXPECT_TRUE(control_.state().forked);
}

TEST_F(ForksTest, AChildThatIsNotFollowedIsNotArmed) {
  config_.follow = Follow::kNone;
  Begin("task-clock");
  forks_.InChild();
  EXPECT_FALSE(process_.active());
  EXPECT_EQ(kernel_.opens().size(), 1u);
}

TEST_F(ForksTest, InASandboxAChildIsNotArmed) {
  Begin("task-clock");
  process_.EnterSandbox();
  forks_.InChild();
  EXPECT_FALSE(process_.active());
  EXPECT_EQ(kernel_.opens().size(), 1u);
}

TEST_F(ForksTest, AChildOfAFinishedProcessStaysFinished) {
  Begin("task-clock");
  process_.Finish();
  forks_.InChild();
  EXPECT_TRUE(process_.finished());
  EXPECT_EQ(kernel_.opens().size(), 1u);
}

TEST_F(ForksTest, ThreadsOfEarlierForkHandlersAreAdopted) {
  Begin("task-clock");
  const UnknownThread early;
  forks_.NoteEarlyThread();
  forks_.InChild();
  EXPECT_NE(registry_.Find(early.tid()), nullptr);
  EXPECT_EQ(TheStandIns().threads_made, 1);  // the agent thread drains
  // Of the next child nothing is known yet.
  forks_.InChild();
  EXPECT_EQ(registry_.Find(early.tid()), nullptr);
}

TEST_F(ForksTest, AnExecOfTheParentIsNotTheChilds) {
  Begin("task-clock");
  execs_.Before();
  forks_.InChild();
  collector_.lock().Lock(AskTid());
  execs_.Failed();
  EXPECT_TRUE(collector_.lock().HeldBy(AskTid()));
  collector_.lock().Unlock();
}

TEST_F(ForksTest, ChildrenOfTheParentAreNotTheChilds) {
  config_.include.Add("leaf");
  ASSERT_TRUE(selection_.AtStart(config_, start_state_));
  Begin("task-clock");
  selection_.NoteChild();
  ASSERT_FALSE(selection_.AtEnd());
  forks_.InChild();
  EXPECT_TRUE(selection_.AtEnd());
}

}  // namespace
}  // namespace csink::agent

#include "agent/lifecycle/restrictions.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "tests/agent/lifecycle_fixture.h"
#include "tests/fakes/captured_stderr.h"

namespace csink::agent {
namespace {

/// A filter of one line.
class Filter {
 public:
  explicit Filter(std::uint32_t action) : line_(BPF_STMT(BPF_RET | BPF_K, action)) {}
  const void* get() const { return &program_; }

 private:
  sock_filter line_;
  sock_fprog program_ = {1, &line_};
};

class RestrictionsTest : public testing::LifecycleTest {
 protected:
  const Filter allows_{SECCOMP_RET_ALLOW};
  const Filter kills_{SECCOMP_RET_KILL_PROCESS};
};

TEST_F(RestrictionsTest, AFilterThatAllowsOurCallsChangesNothing) {
  Begin("task-clock");
  restrictions_.BeforeSeccomp(allows_.get());
  EXPECT_FALSE(process_.sandboxed());
  EXPECT_FALSE(spool_.open());
  restrictions_.AfterSeccomp(true);
  EXPECT_TRUE(LockIsFree());
}

TEST_F(RestrictionsTest, BeforeAFatalFilterTheSpoolIsMadeAndFrozen) {
  Begin("task-clock");
  drainer_.Start(false);
  Sample(3);
  restrictions_.BeforeSeccomp(kills_.get());
  EXPECT_TRUE(process_.sandboxed());
  EXPECT_EQ(collector_.accounts().samples(), 3u);
  ASSERT_TRUE(spool_.open());
  EXPECT_EQ(spool_.header().frozen, 1u);
  EXPECT_TRUE(kernel_.timers()[0].deleted);  // its signal's handler could not return
  EXPECT_TRUE(LockIsFree());
  restrictions_.AfterSeccomp(true);
  EXPECT_TRUE(process_.sandboxed());
  EXPECT_FALSE(process_.one_thread_sandboxed());  // another thread may install it for all
}

TEST_F(RestrictionsTest, StrictModeLeavesTheTimer) {
  Begin("task-clock");
  drainer_.Start(false);
  restrictions_.BeforeSeccomp(nullptr);
  EXPECT_TRUE(process_.sandboxed());
  EXPECT_TRUE(process_.one_thread_sandboxed());
  EXPECT_FALSE(kernel_.timers()[0].deleted);
}

TEST_F(RestrictionsTest, AFilterThatTheKernelRefusesIsForgotten) {
  Begin("task-clock");
  restrictions_.BeforeSeccomp(kills_.get());
  restrictions_.AfterSeccomp(false);
  EXPECT_FALSE(process_.sandboxed());
  EXPECT_EQ(spool_.header().frozen, 0u);
  const csink::testing::CapturedStderr captured;
  RawLog(LogLevel::kError, "test");
  EXPECT_NE(captured.text(), "");
}

TEST_F(RestrictionsTest, ASecondFilterSilencesUs) {
  Begin("task-clock");
  restrictions_.BeforeSeccomp(kills_.get());
  restrictions_.AfterSeccomp(true);
  SetLogSilent(false);
  restrictions_.BeforeSeccomp(allows_.get());
  restrictions_.AfterSeccomp(false);
  EXPECT_TRUE(process_.sandboxed());  // the first filter holds
  const csink::testing::CapturedStderr captured;
  RawLog(LogLevel::kError, "test");
  EXPECT_EQ(captured.text(), "");
}

// A handler of the program, between Execs::Before and the exec. A lock that is waited for would
// never come.
TEST_F(RestrictionsTest, AThreadThatHoldsTheLockDoesNotWaitForItself) {
  Begin("task-clock");
  Sample(3);
  collector_.lock().Lock(AskTid());
  restrictions_.BeforeChroot();
  EXPECT_FALSE(spool_.open());
  restrictions_.BeforeSeccomp(allows_.get());
  EXPECT_FALSE(process_.sandboxed());
  restrictions_.BeforeSeccomp(kills_.get());
  EXPECT_TRUE(process_.sandboxed());
  EXPECT_FALSE(spool_.open());
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  EXPECT_FALSE(collector_.EnsureSpool());  // frozen
  EXPECT_TRUE(collector_.lock().HeldBy(AskTid()));
  collector_.lock().Unlock();
}

TEST_F(RestrictionsTest, BeforeChrootTheSpoolIsMade) {
  Begin("task-clock");
  restrictions_.BeforeChroot();
  EXPECT_TRUE(spool_.open());
  EXPECT_TRUE(LockIsFree());
}

TEST_F(RestrictionsTest, BeforeAChangeOfUserNoSpoolIsMade) {
  Begin("task-clock");
  restrictions_.BeforeUserChange();
  EXPECT_FALSE(spool_.open());
  ASSERT_TRUE(collector_.EnsureSpool());
  restrictions_.BeforeUserChange();
  EXPECT_TRUE(LockIsFree());
  collector_.lock().Lock(AskTid());
  restrictions_.BeforeUserChange();  // does not wait
  collector_.lock().Unlock();
}

}  // namespace
}  // namespace csink::agent

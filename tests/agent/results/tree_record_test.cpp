#include "agent/results/tree_record.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "agent/process/task_list.h"
#include "profil/format/small_record.h"
#include "tests/agent/lifecycle_fixture.h"

namespace csink::agent {
namespace {

class TreeRecordTest : public testing::LifecycleTest {
 protected:
  void SetUp() override {
    LifecycleTest::SetUp();
    if (!IsAlone()) GTEST_SKIP() << "the sanitizer runs a thread of its own";
  }
  /// A process that is about to end.
  void End(const std::size_t samples) {
    Begin("task-clock");
    Sample(samples);
    collector_.set_ending(true);
    collector_.DrainAll();
  }
  bool HasRecord() const {
    return std::filesystem::exists(tree_.path() + "/" + spool::kSmallFileName);
  }
};

TEST_F(TreeRecordTest, ASmallProcessLeavesARecord) {
  JoinTree();
  End(3);
  EXPECT_TRUE(record_.Leave(spool::End::kExit, 0));
  EXPECT_TRUE(HasRecord());
  EXPECT_FALSE(spool_.open());
}

TEST_F(TreeRecordTest, OutsideATreeThereIsNoRecord) {
  config_.spool_dir.Add(tree_.path());
  End(3);
  EXPECT_FALSE(record_.Leave(spool::End::kExit, 0));
  EXPECT_FALSE(HasRecord());
}

TEST_F(TreeRecordTest, AProcessWithASpoolNeedsNoRecord) {
  JoinTree();
  End(3);
  collector_.EnsureSpool();
  EXPECT_FALSE(record_.Leave(spool::End::kExit, 0));
  EXPECT_FALSE(HasRecord());
}

TEST_F(TreeRecordTest, InASandboxNoFileIsOpened) {
  JoinTree();
  End(3);
  process_.EnterSandbox();
  EXPECT_FALSE(record_.Leave(spool::End::kExit, 0));
  EXPECT_FALSE(HasRecord());
}

TEST_F(TreeRecordTest, AForkedChildThatExecsAtOnceNeedsNone) {
  JoinTree();
  End(0);
  process_.RememberFork();
  EXPECT_TRUE(record_.Leave(spool::End::kExec, 0));
  EXPECT_FALSE(HasRecord());
  EXPECT_TRUE(record_.Leave(spool::End::kExit, 0));  // an end is a row of the report
  EXPECT_TRUE(HasRecord());
}

TEST_F(TreeRecordTest, OtherThreadsOfTheProgramNeedASpool) {
  JoinTree();
  End(3);
  const testing::UnknownThread other;
  EXPECT_FALSE(record_.Leave(spool::End::kExit, 0));
  EXPECT_FALSE(HasRecord());
}

}  // namespace
}  // namespace csink::agent

#include "agent/process/selection.h"

#include <gtest/gtest.h>

#include "tests/fakes/captured_stderr.h"

namespace csink::agent {
namespace {

class SelectionTest : public ::testing::Test {
 protected:
  bool AtStart() { return selection_.AtStart(config_, start_); }

  Config config_;
  StartState start_;  // without a parent: the first process
  Selection selection_;
};

TEST_F(SelectionTest, WithoutListsEveryProcessIsProfiled) {
  EXPECT_TRUE(AtStart());
  EXPECT_TRUE(selection_.AtEnd());
  selection_.NoteChild();
  EXPECT_TRUE(selection_.AtEnd());
}

TEST_F(SelectionTest, TheFirstProcessIsProfiledWithoutItsDescendants) {
  config_.follow = Follow::kNone;
  EXPECT_TRUE(AtStart());
}

TEST_F(SelectionTest, AProcessThatIsNotIncludedIsNotProfiled) {
  config_.include.Add("no-such-program");
  EXPECT_FALSE(AtStart());
}

TEST_F(SelectionTest, AProcessThatIsExcludedIsNotProfiled) {
  config_.exclude.Add("depth:0");
  EXPECT_FALSE(AtStart());
}

TEST_F(SelectionTest, OnlyLeavesAreDecidedAtTheEnd) {
  config_.include.Add("leaf");
  EXPECT_TRUE(AtStart());
  EXPECT_TRUE(selection_.AtEnd());
  selection_.NoteChild();
  EXPECT_FALSE(selection_.AtEnd());
  selection_.ForgetAfterFork();  // the child has none
  EXPECT_TRUE(selection_.AtEnd());
}

TEST_F(SelectionTest, OnlyParentsAreDecidedAtTheEnd) {
  config_.exclude.Add("leaf");
  EXPECT_TRUE(AtStart());
  EXPECT_FALSE(selection_.AtEnd());
  selection_.NoteChild();
  EXPECT_TRUE(selection_.AtEnd());
}

TEST_F(SelectionTest, AnItemThatIsNotUnderstoodGetsALine) {
  config_.include.Add("depth:x");
  const csink::testing::CapturedStderr captured;
  AtStart();
  EXPECT_NE(captured.text().find("CSINK_INCLUDE: '"), std::string::npos) << captured.text();
}

}  // namespace
}  // namespace csink::agent

#include "agent/lifecycle/process_exit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/agent/lifecycle_fixture.h"
#include "tests/fakes/captured_stderr.h"

namespace csink::agent {
namespace {

using ::csink::agent::testing::kEnough;
using csink::testing::CapturedStderr;

class ProcessExitTest : public testing::LifecycleTest {
 protected:
  std::size_t Spools() { return factory_.folder.files(); }
};

TEST_F(ProcessExitTest, TheEndDrainsAndCompletesTheSpool) {
  Begin("task-clock");
  drainer_.Start(false);
  Sample(kEnough);
  process_exit_.Finish(spool::End::kExit, 3);
  EXPECT_TRUE(process_.finished());
  EXPECT_EQ(collector_.accounts().samples(), kEnough);
  EXPECT_TRUE(kernel_.timers()[0].deleted);
  EXPECT_TRUE(LockIsFree());
  ASSERT_EQ(Spools(), 1u);
  EXPECT_EQ(spool_.header().state, spool::State::kComplete);
  EXPECT_EQ(spool_.header().end, spool::End::kExit);
  EXPECT_EQ(spool_.header().end_detail, 3u);
}

TEST_F(ProcessExitTest, AProcessEndsOnce) {
  Begin("task-clock");
  Sample(kEnough);
  process_exit_.Finish(spool::End::kExit, 3);
  process_exit_.Finish(spool::End::kAbort, 6);
  EXPECT_EQ(spool_.header().end, spool::End::kExit);
}

TEST_F(ProcessExitTest, AProcessThatNeverBeganHasNoEnd) {
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_FALSE(process_.ending());
}

TEST_F(ProcessExitTest, ASignalDuringOurOwnFinishIsNotWaitedFor) {
  Begin("task-clock");
  process_.ClaimEnd(AskTid());
  process_exit_.Finish(spool::End::kSignal, 15);
  EXPECT_TRUE(process_.active());  // the interrupted Finish goes on
}

TEST_F(ProcessExitTest, OtherThreadsWaitForTheOneThatEnds) {
  Begin("task-clock");
  process_.ClaimEnd(AskTid() + 1);
  std::thread claimant([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    process_.Finish();
  });
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_FALSE(process_.active());
  claimant.join();
}

TEST_F(ProcessExitTest, AHandlerThatInterruptedADrainStillEndsTheSpool) {
  Begin("task-clock");
  ASSERT_TRUE(collector_.EnsureSpool());
  config_.keep = true;
  Sample(kEnough);
  collector_.lock().Lock(AskTid());
  process_exit_.Finish(spool::End::kSignal, 11);
  EXPECT_TRUE(collector_.lock().HeldBy(AskTid()));
  collector_.lock().Unlock();
  EXPECT_EQ(collector_.accounts().samples(), 0u);
  EXPECT_EQ(spool_.header().state, spool::State::kComplete);
  EXPECT_TRUE(process_.finished());
}

TEST_F(ProcessExitTest, TooFewSamplesLeaveNoSpool) {
  Begin("task-clock");
  ASSERT_TRUE(collector_.EnsureSpool());
  Sample(3);
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_EQ(Spools(), 0u);
}

TEST_F(ProcessExitTest, ASpoolThatIsToBeKeptStays) {
  config_.keep = true;
  Begin("task-clock");
  ASSERT_TRUE(collector_.EnsureSpool());
  Sample(3);
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_EQ(Spools(), 1u);
}

TEST_F(ProcessExitTest, TooFewSamplesStartNoReporter) {
  config_.report = true;
  config_.reporter.Add("/nonexistent/csink");  // would be a line on stderr
  Begin("task-clock");
  ASSERT_TRUE(collector_.EnsureSpool());
  Sample(config_.min_samples - 1);
  const CapturedStderr captured;
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_EQ(captured.text(), "");
}

TEST_F(ProcessExitTest, AProcessThatIsExcludedAtItsEndLeavesNoSpool) {
  config_.include.Add("leaf");
  ASSERT_TRUE(selection_.AtStart(config_, start_state_));
  Begin("task-clock");
  Sample(kEnough);
  collector_.EnsureSpool();
  selection_.NoteChild();
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_EQ(Spools(), 0u);
}

TEST_F(ProcessExitTest, AReportThatCostsMoreThanTheProgramIsOneLine) {
  config_.report = true;
  config_.reporter.Add("/nonexistent/csink");  // would be another line
  Begin("task-clock");
  ASSERT_TRUE(collector_.EnsureSpool());
  Sample(kWorthAReport - 1);
  const CapturedStderr captured;
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_NE(captured.text().find("59 samples in "), std::string::npos) << captured.text();
  EXPECT_NE(captured.text().find("csink run writes one report of all processes, and "
                                 "CSINK_MIN_SAMPLES=20 one of each"),
            std::string::npos)
      << captured.text();
  EXPECT_EQ(captured.text().find("was not found"), std::string::npos) << captured.text();
  EXPECT_EQ(Spools(), 0u);
}

TEST_F(ProcessExitTest, AReportThatWasAskedForIsMadeFromFewSamples) {
  config_.report = true;
  config_.reporter.Add("/nonexistent/csink");
  ASSERT_TRUE(SetSetting(config_, Setting::kFormat, "json"));
  Begin("task-clock");
  ASSERT_TRUE(collector_.EnsureSpool());
  Sample(kWorthAReport - 1);
  const CapturedStderr captured;
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_NE(captured.text().find("the csink program was not found"), std::string::npos)
      << captured.text();
  EXPECT_EQ(Spools(), 1u);
}

TEST_F(ProcessExitTest, WithoutCsinkALineNamesTheSpool) {
  config_.report = true;
  config_.reporter.Add("/nonexistent/csink");
  Begin("task-clock");
  Sample(kWorthAReport);
  const CapturedStderr captured;
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_NE(captured.text().find("the csink program was not found (CSINK_REPORTER): show the "
                                 "report with csink report " +
                                 factory_.folder.path()),
            std::string::npos)
      << captured.text();
  EXPECT_EQ(Spools(), 1u);
}

TEST_F(ProcessExitTest, InASandboxALineNamesTheSpool) {
  config_.report = true;
  Begin("task-clock");
  Sample(kEnough);
  ASSERT_TRUE(collector_.EnsureSpool());
  process_.EnterSandbox();
  const CapturedStderr captured;
  process_exit_.Finish(spool::End::kExit, 0);
  EXPECT_NE(captured.text().find("the program is in a seccomp sandbox"), std::string::npos)
      << captured.text();
  EXPECT_EQ(spool_.header().state, spool::State::kComplete);
}

}  // namespace
}  // namespace csink::agent

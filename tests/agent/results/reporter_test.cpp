#include "agent/results/reporter.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/profil/spool_bytes.h"

namespace csink::agent {
namespace {

class ReporterTest : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(spool_) << "spool"; }

  std::string Why(std::uint32_t owner) { return WhyOutOfReach(spool_.c_str(), owner); }

  csink::testing::TemporaryFolder folder_;
  std::string spool_ = folder_.path() + "/a.csink";
};

TEST_F(ReporterTest, AnotherUserThanTheSpoolsIsNamed) {
  EXPECT_EQ(Why(geteuid() + 1), "the program changed its user and can no longer read its profile");
}

TEST_F(ReporterTest, APathThatLeadsNowhereIsAChangedRoot) {
  spool_ = folder_.path() + "/b.csink";
  EXPECT_EQ(Why(geteuid()), "the program changed its root directory, or its profile was removed");
}

TEST_F(ReporterTest, OtherwiseTheProgramLostARight) {
  EXPECT_NE(Why(geteuid()).find("gave up a capability"), std::string::npos);
}

TEST_F(ReporterTest, ASpoolThatCannotBeReadStartsNothing) {
  const std::string gone = folder_.path() + "/b.csink";
  EXPECT_EQ(RunReporter(Config(), StartState(), gone.c_str(), 0, OutputName::kAsNamed),
            ReportOutcome::kOutOfReach);
}

// What a script that stands for csink prints of its own limit of memory.
std::string SoftLimitInReporter(rlim_t soft, int status, ReportOutcome* outcome) {
  csink::testing::TemporaryFolder folder;
  const std::string script = folder.path() + "/csink";
  const std::string answer = folder.path() + "/answer";
  const std::string spool = folder.path() + "/a.csink";
  std::ofstream(spool) << "spool";
  std::ofstream(script) << "#!/bin/sh\nulimit -v > " << answer << "\nexit " << status << "\n";
  chmod(script.c_str(), 0700);
  Config config;
  config.reporter.Add(script);
  rlimit before = {};
  getrlimit(RLIMIT_AS, &before);
  rlimit limit = before;
  limit.rlim_cur = soft;
  setrlimit(RLIMIT_AS, &limit);
  *outcome = RunReporter(config, StartState(), spool.c_str(), 0, OutputName::kAsNamed);
  setrlimit(RLIMIT_AS, &before);
  std::string text;
  std::getline(std::ifstream(answer) >> std::ws, text);
  return text;
}

TEST_F(ReporterTest, TheReporterGetsTheHardLimitOfMemory) {
  rlimit now = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &now), 0);
  if (now.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "the tests run under ulimit -v";
  ReportOutcome outcome;
  EXPECT_EQ(SoftLimitInReporter(rlim_t{1} << 40, 0, &outcome), "unlimited");
  EXPECT_EQ(outcome, ReportOutcome::kWritten);
  SoftLimitInReporter(rlim_t{1} << 40, 3, &outcome);
  EXPECT_EQ(outcome, ReportOutcome::kFailed);
}

TEST_F(ReporterTest, AFailureUnderAHardLimitOfMemoryIsNamed) {
#if defined(CSINK_SANITIZED)
  GTEST_SKIP() << "the sanitizer has reserved more than the limit, and gets no memory under it";
#endif
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {rlim_t{1} << 40, rlim_t{1} << 40};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    ReportOutcome outcome;
    SoftLimitInReporter(rlim_t{1} << 39, 3, &outcome);
    _exit(outcome == ReportOutcome::kNoMemory ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace csink::agent

#include "agent/reporter/reporter.h"

#include <gtest/gtest.h>
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

}  // namespace
}  // namespace csink::agent

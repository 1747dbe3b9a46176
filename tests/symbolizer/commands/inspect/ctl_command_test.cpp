#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/symbolizer/commands/run_tool.h"

namespace csink::testing {
namespace {

using ::testing::HasSubstr;

class Ctl : public ToolTest {
 protected:
  Ctl() { EXPECT_EQ(mkfifo(fifo().c_str(), 0600), 0); }
  std::string fifo() const { return folder_ + "/ctl"; }
};

TEST_F(Ctl, NobodyThereIsThree) {
  const auto result = Csink({"ctl", "--timeout", "1", fifo(), "status"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("no running program reads this fifo"));
}

TEST_F(Ctl, WhatIsNeverAnsweredIsWrongUse) {
  for (const char* command : {"", "  ", "\t", "#x", " # pause"}) {
    const auto result = Csink({"ctl", fifo(), command});
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_THAT(result.err, HasSubstr("an empty command or a comment is not possible"));
  }
}

TEST_F(Ctl, AWordThatIsNoCommandIsWrongWhateverTheTargetIs) {
  for (const std::string& target : {fifo(), std::to_string(getpid()), folder_ + "/nothing"}) {
    const auto result = Csink({"ctl", target, "explode"});
    EXPECT_EQ(result.status, 2) << target;
    EXPECT_THAT(result.err, HasSubstr("unknown command explode; the commands are: pause, "));
  }
}

TEST_F(Ctl, AWaitIsANumberOfSecondsAboveZero) {
  for (const char* seconds : {"0", "-1", "soon", "nan", ""}) {
    const auto result = Csink({"ctl", std::string("--timeout=") + seconds, fifo(), "status"});
    EXPECT_EQ(result.status, 2) << seconds;
    EXPECT_LT(result.err.size(), 200u) << result.err;
  }
  EXPECT_THAT(Csink({"ctl", "--timeout", "0", fifo(), "status"}).err,
              HasSubstr("0 is not a number from 0.001 to 1000000000"));
  // A long wait, not one that is over; nobody listens, which is known at once.
  EXPECT_EQ(Csink({"ctl", "--timeout", "1e9", fifo(), "status"}).status, 3);
}

}  // namespace
}  // namespace csink::testing

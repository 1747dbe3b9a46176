#include "symbolizer/report/tables/wait_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/symbolizer/report/waiting_sample.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WaitVerdict, SaysNothingWhereNothingWasRecorded) {
  EXPECT_THAT(WaitVerdict(Make(XzSpool(), XzNames()).profile), IsEmpty());
}

TEST(WaitVerdict, SaysWhatTheObserverDidAndWhatLimitsIt) {
  SpoolBuilder builder = WaitingSpool();
  builder.header().waits.no_site = 12;
  builder.header().waits.no_site_ns = 500'000'000;
  builder.header().waits.state = 2;
  builder.header().waits.stopped_errno = 1;
  const Report report = Make(builder, WaitingNames());
  const auto lines = WaitVerdict(report.profile);
  EXPECT_THAT(lines, Contains(HasSubstr("976 looks at blocked threads divide 9.76 s, 97.6%")));
  EXPECT_THAT(lines,
              Contains(HasSubstr("2.0% of the looks are cut; the causes were not recorded")));
  EXPECT_THAT(lines, Contains(HasSubstr("12 looks are in no row, 500 ms")));
  EXPECT_THAT(lines, Contains(HasSubstr("stopped early (Operation not permitted)")));
}

TEST(WaitVerdict, SaysHowMuchWasNotLookedAt) {
  SpoolBuilder builder = WaitingSpool();
  builder.header().wall.threads = 300;
  builder.header().wall.wall_ns = 101'000'000'000;
  builder.header().wall.undivided_ns = 3'400'000'000;
  const auto lines = WaitVerdict(Make(builder, WaitingNames()).profile);
  EXPECT_THAT(lines, Contains(HasSubstr("divide 9.76 s, 10.0% of the 97.6 s for which 300 threads "
                                        "were blocked; not looked at: 87.8 s, and what is blocked "
                                        "of 3.4 s not divided")));
}

}  // namespace
}  // namespace csink::report

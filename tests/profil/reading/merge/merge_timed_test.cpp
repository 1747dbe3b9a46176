#include "profil/reading/merge/merge_timed.h"

#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using spool::MomentKind;
using testing::SpoolBuilder;

SpoolBuilder Process(std::uint32_t pid, std::uint64_t start_ns) {
  SpoolBuilder builder;
  builder.header().pid = pid;
  builder.header().start_monotonic_ns = start_ns;
  builder.header().timed.recorded = builder.header().timed.hooked = 1;
  builder.header().timed.switches_left_out = pid;
  const auto app =
      builder.AddRegion({.path = "/bin/app", .start = 0x1000, .end = 0x2000, .file_offset = 0x500});
  builder.AddHits(app, 1, 0x1010, 100);
  builder.AddMoment({start_ns + 50, start_ns + 60, 0xabc, 0, pid, MomentKind::kPipeRead, 0});
  builder.AddMoment({start_ns + 5, start_ns + 5, 0xabc, 9, pid, MomentKind::kPipeWritten, 0});
  builder.AddTimedSample({start_ns + 7, 0x1010, app, 0, pid, 0});
  builder.AddSwitch({start_ns + 8, pid, spool::SwitchKind::kIn});
  return builder;
}

TEST(MergeTimed, PutsTheRecordsOfATreeInOneOrderAndKeepsTheirProcesses) {
  ProfileMerger merger;
  // The later process comes first.
  for (const auto& builder : {Process(20, 30), Process(10, 0)}) {
    const auto spool = spool::ParseSpool(builder.Build());
    ASSERT_TRUE(spool);
    merger.Add(*spool, ProcessState::kComplete, "x");
  }
  const Profile profile = merger.Finish();
  const TimedProfile& timed = profile.timed;
  EXPECT_EQ(timed.counts.recorded, 2u);
  EXPECT_EQ(timed.counts.hooked, 2u);
  EXPECT_EQ(timed.counts.switches_left_out, 30u);
  ASSERT_EQ(timed.moments.size(), 4u);
  std::vector<std::uint64_t> starts;
  for (const Moment& moment : timed.moments) {
    starts.push_back(moment.start_ns);
    EXPECT_EQ(profile.processes[moment.process].pid, moment.thread);
    EXPECT_EQ(moment.IsWait(), moment.kind == MomentKind::kPipeRead);
  }
  EXPECT_EQ(starts, (std::vector<std::uint64_t>{5, 35, 50, 80}));
  EXPECT_EQ(timed.moments[0].value, 9u);
  ASSERT_EQ(timed.samples.size(), 2u);
  EXPECT_EQ(timed.samples[0].time_ns, 7u);
  EXPECT_EQ(timed.samples[0].address.offset, 0x510u);
  EXPECT_EQ(profile.processes[timed.samples[1].process].pid, 20u);
  ASSERT_EQ(timed.switches.size(), 2u);
  EXPECT_EQ(profile.processes[timed.switches[0].process].pid, 10u);
}

TEST(MergeTimed, IsEmptyWithoutRecords) {
  ProfileMerger merger;
  const auto spool = spool::ParseSpool(SpoolBuilder().Build());
  ASSERT_TRUE(spool);
  merger.Add(*spool, ProcessState::kComplete, "x");
  const Profile profile = merger.Finish();
  EXPECT_EQ(profile.timed.counts.recorded, 0u);
  EXPECT_TRUE(profile.timed.moments.empty());
}

}  // namespace
}  // namespace csink

#include "profil/reading/merge/merge_time.h"

#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using testing::SpoolBuilder;

/// A process that started `start_ms` after the others, with a row for its main thread and a place.
SpoolBuilder Process(std::uint32_t pid, std::uint64_t start_ms) {
  SpoolBuilder builder;
  builder.header().pid = pid;
  builder.header().start_monotonic_ns += start_ms * 1'000'000;
  builder.header().start_realtime_ns += start_ms * 1'000'000;
  builder.header().update_monotonic_ns += start_ms * 1'000'000;
  const auto app =
      builder.AddRegion({.path = "/bin/app", .start = 0x1000, .end = 0x2000, .file_offset = 0x500});
  builder.AddHits(app, 1, 0x1010, 100);
  builder.AddThreadSlices(1).slices[0].run_us = pid;
  builder.AddPlaceSlices(app, 0x1010).slices[0] = pid;
  return builder;
}

Profile Merged(const std::vector<SpoolBuilder>& builders, MergeOptions options = {}) {
  ProfileMerger merger(std::move(options));
  for (const SpoolBuilder& builder : builders) {
    const auto spool = spool::ParseSpool(builder.Build());
    EXPECT_TRUE(spool);
    if (spool) merger.Add(*spool, ProcessState::kComplete, "x");
  }
  return merger.Finish();
}

TEST(MergeTime, KeepsTheRowsOfEachProcess) {
  // The later process comes first: its rows follow it when processes are sorted.
  const Profile profile = Merged({Process(20, 500), Process(10, 0)});
  ASSERT_EQ(profile.thread_times.size(), 2u);
  for (const ThreadTime& row : profile.thread_times) {
    ASSERT_EQ(row.slices.size(), 1u);
    const ProcessRow& process = profile.processes[row.process];
    EXPECT_EQ(process.pid, row.slices[0].run_us);
    EXPECT_EQ(profile.threads[row.thread].process, row.process);
    EXPECT_EQ(row.origin_ns, process.start_monotonic_ns);
  }
  ASSERT_EQ(profile.place_times.size(), 2u);
  EXPECT_EQ(profile.place_times[0].address.offset, 0x510u);
  EXPECT_EQ(profile.place_times[0].address.module, profile.places[0].address.module);
  EXPECT_EQ(profile.processes[profile.place_times[0].process].pid, 20u);
}

TEST(MergeTime, LeavesOutThreadsThatShareARow) {
  const Profile profile =
      Merged({Process(10, 0), Process(20, 1), Process(30, 2)}, {.max_threads = 3});
  // Rows 0 and 1 are those of the first process, row 2 has the merged thread of the second one, and
  // the rest share the last row.
  EXPECT_LE(profile.thread_times.size(), 2u);
  EXPECT_EQ(profile.thread_times[0].thread, 1u);
}

TEST(MergeTime, TheFirstMarkOfAllProcessesHasItsTime) {
  SpoolBuilder early = Process(10, 0);
  early.AddPhase("load", 0, 1, 5, 5'300'000'000);
  SpoolBuilder late = Process(20, 100);
  late.AddPhase("load", 0, 1, 5, 5'700'000'000);
  late.AddPhase("unknown", 0, 1, 5);
  const Profile profile = Merged({late, early}, {.keep_phases = true});
  ASSERT_EQ(profile.phases.size(), 3u);
  EXPECT_EQ(profile.phases[1].first_monotonic_ns, 5'300'000'000u);
  EXPECT_EQ(profile.phases[2].first_monotonic_ns, 0u);
}

}  // namespace
}  // namespace csink

#include "profil/reading/merge/merge.h"

#include <gtest/gtest.h>

#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using testing::SpoolBuilder;

spool::Spool Parse(const SpoolBuilder& builder) {
  auto spool = spool::ParseSpool(builder.Build());
  EXPECT_TRUE(spool);
  return std::move(*spool);
}

/// A process with one library mapped at `base`, hit at file offset 0x1500.
SpoolBuilder Process(std::uint32_t pid, std::uint64_t base, const std::string& build_id,
                     std::uint64_t samples) {
  SpoolBuilder builder;
  builder.header().pid = pid;
  builder.header().start_realtime_ns += pid;
  const auto region = builder.AddRegion({.path = "/lib/liba.so",
                                         .start = base,
                                         .end = base + 0x4000,
                                         .file_offset = 0x1000,
                                         .build_id = build_id});
  builder.AddHits(region, 1, base + 0x500, samples);
  return builder;
}

TEST(ProfileMerger, TurnsAddressesIntoFileOffsets) {
  ProfileMerger merger;
  merger.Add(Parse(Process(1, 0x7f0000, "abc", 5)), ProcessState::kComplete, "a");
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.places.size(), 1u);
  EXPECT_EQ(profile.places[0].address.offset, 0x1500u);
  EXPECT_EQ(profile.modules[0].path, "/lib/liba.so");
}

TEST(ProfileMerger, MeetsTheSameLibraryOfTwoProcessesByBuildId) {
  ProfileMerger merger;
  merger.Add(Parse(Process(2, 0x7f0000, "abc", 5)), ProcessState::kComplete, "a");
  merger.Add(Parse(Process(1, 0x550000, "abc", 7)), ProcessState::kKilled, "b");
  merger.Add(Parse(Process(3, 0x550000, "xyz", 1)), ProcessState::kLive, "c");
  const Profile profile = merger.Finish();
  EXPECT_EQ(profile.modules.size(), 2u);
  ASSERT_EQ(profile.places.size(), 2u);
  EXPECT_EQ(profile.places[0].counts[0].samples, 12u);
  ASSERT_EQ(profile.processes.size(), 3u);
  EXPECT_EQ(profile.processes[0].pid, 1u);  // the first to start
  EXPECT_EQ(profile.processes[0].state, ProcessState::kKilled);
  EXPECT_EQ(profile.processes[0].counts[0].samples, 7u);
  EXPECT_EQ(profile.events[0].samples, 13u);
  for (const ThreadRow& thread : profile.threads) {
    if (thread.counts[0].samples == 7) {
      EXPECT_EQ(thread.process, 0u);
    }
  }
}

TEST(ProfileMerger, KeepsFilesOfOneNameWithoutBuildIdApartByInode) {
  SpoolBuilder a = Process(1, 0x10000, "", 5);
  SpoolBuilder b;
  const auto region =
      b.AddRegion({.path = "/lib/liba.so", .start = 0x10000, .end = 0x20000, .inode = 99});
  b.AddHits(region, 1, 0x10500, 5);
  ProfileMerger merger;
  merger.Add(Parse(a), ProcessState::kComplete, "a");
  merger.Add(Parse(b), ProcessState::kComplete, "b");
  EXPECT_EQ(merger.Finish().modules.size(), 2u);
}

TEST(ProfileMerger, NeverMixesAnonymousCodeOfTwoProcesses) {
  ProfileMerger merger;
  for (const std::uint32_t pid : {1u, 2u}) {
    SpoolBuilder builder;
    builder.header().pid = pid;
    const auto jit = builder.AddRegion(
        {.start = 0x7000, .end = 0x9000, .flags = spool::kRegionAnonymous, .inode = 0});
    builder.AddHits(jit, 1, 0x7100, 3);
    merger.Add(Parse(builder), ProcessState::kComplete, "a");
  }
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.places.size(), 2u);
  EXPECT_EQ(profile.places[0].address.offset, 0x7100u);  // the address itself
  EXPECT_NE(profile.places[0].address.module, profile.places[1].address.module);
}

TEST(ProfileMerger, MatchesColumnsByNameWhateverTheirOrder) {
  SpoolBuilder a;
  a.AddEvent("instructions:u", EventClass::kInstructions, 1000);
  const auto ra = a.AddRegion({.path = "/a", .start = 0x1000, .end = 0x2000});
  a.AddHits(ra, 1, 0x1000, 4, 1);
  SpoolBuilder b;
  testing::SetText(b.event(0).name, "instructions:u");
  b.event(0).kind = EventClass::kInstructions;
  b.event(0).period = 500;
  const auto rb = b.AddRegion({.path = "/a", .start = 0x1000, .end = 0x2000});
  b.AddHits(rb, 1, 0x1000, 6, 0);
  ProfileMerger merger;
  merger.Add(Parse(a), ProcessState::kComplete, "a");
  merger.Add(Parse(b), ProcessState::kComplete, "b");
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.events.size(), 2u);
  EXPECT_EQ(profile.events[1].name, "instructions:u");
  EXPECT_EQ(profile.events[1].samples, 10u);
  EXPECT_EQ(profile.events[1].weight, 4u * 1000 + 6u * 500);
  EXPECT_TRUE(profile.events[1].mixed_periods);
  EXPECT_FALSE(profile.events[0].mixed_periods);
  EXPECT_EQ(profile.places[0].counts[1].samples, 10u);
}

TEST(ProfileMerger, KeepsPeriodAndFrequencyColumnsApart) {
  SpoolBuilder a = Process(1, 0x1000, "abc", 5);
  SpoolBuilder b = Process(2, 0x1000, "abc", 5);
  b.event(0).frequency_hz = 4000;
  ProfileMerger merger;
  merger.Add(Parse(a), ProcessState::kComplete, "a");
  merger.Add(Parse(b), ProcessState::kComplete, "b");
  EXPECT_EQ(merger.Finish().events.size(), 2u);
}

TEST(ProfileMerger, SumsShortThreadsByStartRoutine) {
  SpoolBuilder a = Process(1, 0x10000, "abc", 5);
  a.AddRoutine(0x10500, 0, 10, 100);
  a.AddRoutine(0, spool::kNone, 1, 7);
  SpoolBuilder b = Process(2, 0x50000, "abc", 5);
  b.AddRoutine(0x50500, 0, 20, 300);
  ProfileMerger merger;
  merger.Add(Parse(a), ProcessState::kComplete, "a");
  merger.Add(Parse(b), ProcessState::kComplete, "b");
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.short_threads.size(), 2u);
  EXPECT_EQ(profile.short_threads[0].threads, 30u);
  EXPECT_EQ(profile.short_threads[0].cpu_ns, 400u);
  EXPECT_EQ(profile.short_threads[1].start_routine.module, kNoModule);
}

TEST(ProfileMerger, SaturatesInsteadOfWrapping) {
  SpoolBuilder a = Process(1, 0x1000, "abc", 5);
  a.event(0).lost_records = ~0ull;
  SpoolBuilder b = Process(2, 0x1000, "abc", 5);
  b.event(0).lost_records = 3;
  ProfileMerger merger;
  merger.Add(Parse(a), ProcessState::kComplete, "a");
  merger.Add(Parse(b), ProcessState::kComplete, "b");
  EXPECT_EQ(merger.Finish().events[0].lost_records, ~0ull);
}

}  // namespace
}  // namespace csink

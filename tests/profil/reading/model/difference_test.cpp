#include "profil/reading/model/difference.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "profil/reading/merge/merge.h"
#include "profil/reading/reader/reader.h"
#include "tests/fakes/spool_builder.h"

namespace csink::testing {
namespace {

Profile Merged(const SpoolBuilder& builder) {
  ProfileMerger merger;
  auto spool = spool::ParseSpool(builder.Build());
  if (!spool) std::abort();
  merger.Add(*spool, ProcessState::kLive, "x.csink");
  return merger.Finish();
}

SpoolBuilder Program(std::uint64_t first, std::uint64_t second) {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  const auto lib = b.AddRegion({.path = "/lib/l.so", .start = 0x600000, .end = 0x700000});
  if (first > 0) b.AddHits(app, 1, 0x401000, first);
  if (second > 0) b.AddHits(lib, 1, 0x601000, second);
  return b;
}

TEST(Since, HasWhatCameAndNothingElse) {
  const Profile change = Since(Merged(Program(150, 40)), Merged(Program(100, 40)));
  EXPECT_EQ(change.events[0].samples, 50u);
  ASSERT_EQ(change.places.size(), 1u);
  EXPECT_EQ(change.modules[change.places[0].address.module].path, "/bin/app");
  EXPECT_EQ(change.places[0].counts[0].samples, 50u);
  EXPECT_EQ(change.processes[0].counts[0].samples, 50u);
}

TEST(Since, MeetsModulesByWhatTheyAreNotByTheirNumber) {
  // Before, the library was the only module that was hit.
  const Profile change = Since(Merged(Program(10, 45)), Merged(Program(0, 40)));
  EXPECT_EQ(change.events[0].samples, 15u);
  EXPECT_EQ(change.places.size(), 2u);
}

TEST(Since, SubtractsTheEndsOfChainsButNotThoseOfLooks) {
  const auto with = [](std::uint64_t cut, std::uint64_t complete) {
    SpoolBuilder b = Program(10, 10);
    spool::ChainEndRecord record{};
    record.way = spool::ChainWay::kUnwind;
    record.end = spool::ChainEnd::kNoRows;
    record.chains = cut;
    b.AddChainEnd(record);
    record.end = spool::ChainEnd::kMain;
    record.chains = complete;
    b.AddChainEnd(record);
    record.way = spool::ChainWay::kLook;
    b.AddChainEnd(record);
    return b;
  };
  const Profile change = Since(Merged(with(30, 20)), Merged(with(10, 20)));
  ASSERT_EQ(change.chain_ends.size(), 1u);
  EXPECT_EQ(change.chain_ends[0].end, spool::ChainEnd::kNoRows);
  EXPECT_EQ(change.chain_ends[0].chains, 20u);
}

TEST(Since, CountsTheCpuTimeOfTheProcessFromThere) {
  SpoolBuilder before = Program(100, 0);
  SpoolBuilder now = Program(150, 0);
  before.header().user_ns = 1'000'000'000;
  now.header().user_ns = 1'400'000'000;
  const Profile change = Since(Merged(now), Merged(before));
  EXPECT_EQ(change.processes[0].user_ns, 400'000'000u);
  EXPECT_EQ(change.processes[0].start_user_ns, 0u);
}

TEST(Since, CountsTheCpuTimeOfANewImageFromThereToo) {
  SpoolBuilder before = Program(100, 0);
  before.header().user_ns = 1'000'000'000;
  SpoolBuilder image = Program(30, 0);
  image.header().exec_generation = 1;
  image.header().start_monotonic_ns += 5;
  image.header().start_user_ns = 1'100'000'000;
  image.header().user_ns = 1'500'000'000;
  const Profile change = Since(Merged(image), Merged(before));
  EXPECT_EQ(change.processes[0].start_user_ns, 100'000'000u);
  EXPECT_EQ(change.processes[0].user_ns, 500'000'000u);
  EXPECT_EQ(change.processes[0].BeginMonotonicNs(), image.header().start_monotonic_ns);
}

TEST(Since, BeginsAtTheUpdateOfTheEarlierState) {
  SpoolBuilder before = Program(100, 0);
  before.header().update_monotonic_ns = before.header().start_monotonic_ns + 3'000'000'000;
  const Profile earlier = Merged(before);
  EXPECT_EQ(earlier.processes[0].BeginMonotonicNs(), before.header().start_monotonic_ns);
  const Profile change = Since(Merged(Program(150, 0)), earlier);
  EXPECT_EQ(change.processes[0].BeginMonotonicNs(), before.header().update_monotonic_ns);
  EXPECT_EQ(change.processes[0].start_monotonic_ns, before.header().start_monotonic_ns);
}

TEST(Since, TakesTheTimesOfThreadsOff) {
  const auto state = [](std::uint64_t factor) {
    SpoolBuilder b = Program(100 * factor, 0);
    b.thread(1).end_monotonic_ns = 1'000 * factor;
    b.thread(1).run_ns = 300 * factor;
    b.thread(1).wait_ns = 100 * factor;
    b.header().wall.threads = 2;
    b.header().wall.wall_ns = 2'000 * factor;
    b.header().wall.undivided_ns = 10 * factor;
    return Merged(b);
  };
  const Profile change = Since(state(3), state(1));
  EXPECT_EQ(change.processes[0].wall, (WallParts{2, 4'000, 0, 0, 20}));
  ASSERT_EQ(change.threads.size(), 2u);
  EXPECT_EQ(change.threads[1].wall, (WallParts{1, 2'000, 600, 200, 0}));
  EXPECT_EQ(change.threads[1].wall.BlockedNs(), 1'200u);
}

TEST(Since, TakesANewImageForWhatItIs) {
  SpoolBuilder other = Program(30, 0);
  other.header().start_monotonic_ns += 5;
  const Profile change = Since(Merged(other), Merged(Program(100, 0)));
  EXPECT_EQ(change.processes[0].counts[0].samples, 30u);
}

TEST(Since, NothingShrinksBelowNothing) {
  const Profile change = Since(Merged(Program(90, 5)), Merged(Program(100, 1)));
  EXPECT_EQ(change.events[0].samples, 0u);  // 95 after 101
  ASSERT_EQ(change.places.size(), 1u);
  EXPECT_EQ(change.places[0].counts[0].samples, 4u);
  EXPECT_TRUE(Since(Profile(), Merged(Program(1, 1))).places.empty());
  EXPECT_EQ(Since(Merged(Program(1, 1)), Profile()).places.size(), 2u);
}

TEST(DropUnsampled, KeepsTheRowsOfProcessesWithSamples) {
  const auto program = [](std::uint32_t pid, std::uint64_t samples) {
    SpoolBuilder b = Program(samples, 0);
    b.header().pid = pid;
    b.header().start_monotonic_ns += pid;
    return b;
  };
  const auto merged = [&](std::uint64_t third, std::uint64_t fourth) {
    MergeOptions options;
    options.keep_threads = true;
    ProfileMerger merger(options);
    std::uint32_t pid = 0;
    for (const std::uint64_t samples : {std::uint64_t{9}, std::uint64_t{0}, third, fourth}) {
      auto spool = spool::ParseSpool(program(++pid, samples).Build());
      if (!spool) std::abort();
      merger.Add(*spool, ProcessState::kLive, "x.csink");
    }
    return merger.Finish();
  };
  Profile part = Since(merged(5, 7), merged(4, 7));
  ASSERT_EQ(part.processes.size(), 4u);
  DropUnsampled(part);
  ASSERT_EQ(part.processes.size(), 1u);
  EXPECT_EQ(part.processes[0].pid, 3u);
  ASSERT_EQ(part.places.size(), 1u);
  ASSERT_LT(part.places[0].thread, part.threads.size());
  for (const ThreadRow& thread : part.threads) EXPECT_EQ(thread.process, 0u);
  for (const Module& module : part.modules) EXPECT_EQ(module.process, 0u);
  DropUnsampled(part);
  EXPECT_EQ(part.processes.size(), 1u);
  Profile nothing;
  DropUnsampled(nothing);
  EXPECT_TRUE(nothing.processes.empty());
}

}  // namespace
}  // namespace csink::testing

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profil/reading/merge/merge.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SpoolBuilder;

spool::Spool Parse(const SpoolBuilder& builder) {
  auto spool = spool::ParseSpool(builder.Build());
  EXPECT_TRUE(spool);
  return std::move(*spool);
}

/// main -> (f or g) -> memcpy, the library at a base of its own.
SpoolBuilder Stacks(std::uint32_t pid, std::uint64_t base) {
  SpoolBuilder b;
  b.header().pid = pid;
  const auto lib =
      b.AddRegion({.path = "/lib/liba.so", .start = base, .end = base + 0x4000, .build_id = "abc"});
  const auto main = b.AddChain(0, lib, base + 0x100);
  const auto f = b.AddChain(main, lib, base + 0x200);
  const auto g = b.AddChain(main, lib, base + 0x300);
  const auto load = b.AddPhase("load", 100'000'000);
  const auto solve = b.AddPhase("solve", 400'000'000);
  b.AddHitsAt(lib, 1, base + 0x1000, 30, f, load);
  b.AddHitsAt(lib, 1, base + 0x1000, 10, g, solve);
  return b;
}

Profile MergeTwo(const MergeOptions& options) {
  ProfileMerger merger(options);
  merger.Add(Parse(Stacks(1, 0x10000)), ProcessState::kComplete, "a");
  merger.Add(Parse(Stacks(2, 0x50000)), ProcessState::kComplete, "b");
  return merger.Finish();
}

TEST(MergeOptions, WithoutThemPlacesAreFlat) {
  const Profile profile = MergeTwo({});
  ASSERT_EQ(profile.places.size(), 1u);
  EXPECT_EQ(profile.places[0].counts[0].samples, 80u);
  EXPECT_EQ(profile.places[0].thread, kNoThread);
  EXPECT_TRUE(profile.callers.empty());
  EXPECT_TRUE(profile.phases.empty());
}

TEST(MergeOptions, CallersOfTwoProcessesMeet) {
  const Profile profile = MergeTwo({.keep_callers = true});
  ASSERT_EQ(profile.callers.size(), 4u);  // none, main, f, g
  EXPECT_EQ(profile.callers[2].address.offset, 0x200u);
  EXPECT_EQ(profile.callers[2].parent, 1u);
  ASSERT_EQ(profile.places.size(), 2u);
  EXPECT_EQ(profile.places[0].caller, 2u);
  EXPECT_EQ(profile.places[0].counts[0].samples, 60u);
  EXPECT_EQ(profile.places[1].counts[0].samples, 20u);
}

TEST(MergeOptions, MarksMeetByNameAndTakeTheirCpuTime) {
  const Profile profile = MergeTwo({.keep_phases = true});
  ASSERT_EQ(profile.phases.size(), 3u);
  EXPECT_EQ(profile.phases[1].name, "load");
  EXPECT_EQ(profile.phases[1].marks, 2u);
  EXPECT_EQ(profile.phases[1].cpu_ns, 600'000'000u);  // twice from 100 ms to 400 ms
  EXPECT_EQ(profile.phases[2].cpu_ns, 2u * (1'022'000'000 - 400'000'000));
  // What is left of the time since the agent was ready.
  EXPECT_EQ(profile.phases[0].cpu_ns, 2u * (1'020'000'000 - 300'000'000 - 622'000'000));
}

TEST(MergeOptions, TakesTheCpuTimeOfMarksFromAWriterThatKeptIt) {
  SpoolBuilder b;
  b.AddPhase("load", 100'000'000, 3, 7'000'000);
  ProfileMerger merger({.keep_phases = true});
  merger.Add(Parse(b), ProcessState::kComplete, "a");
  const Profile profile = merger.Finish();
  EXPECT_EQ(profile.phases[1].marks, 3u);
  EXPECT_EQ(profile.phases[1].cpu_ns, 7'000'000u);
}

TEST(MergeOptions, OneMarkAlone) {
  const Profile profile = MergeTwo({.only_phase = "load"});
  EXPECT_EQ(profile.events[0].samples, 60u);
  EXPECT_EQ(profile.processes[0].counts[0].samples, 30u);
  EXPECT_NEAR(profile.events[0].weight_squared, 60 * 1'000'003.0 * 1'000'003.0, 1e6);
  EXPECT_EQ(profile.only_phase, "load");
}

TEST(MergeOptions, ThreadsAreKeptApart) {
  SpoolBuilder b = Stacks(1, 0x10000);
  const auto worker = b.AddThread(4712, "worker");
  b.AddHits(0, worker, 0x11000, 5);
  ProfileMerger merger({.keep_threads = true});
  merger.Add(Parse(b), ProcessState::kComplete, "a");
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.places.size(), 2u);
  EXPECT_EQ(profile.threads[profile.places[1].thread].name, "worker");
  EXPECT_EQ(profile.places[1].counts[0].samples, 5u);
}

TEST(MergeOptions, ProcessesBeyondTheCapAreOneRow) {
  ProfileMerger merger({.max_processes = 2, .max_threads = 3});
  for (std::uint32_t pid = 1; pid <= 5; ++pid) {
    merger.Add(Parse(Stacks(pid, 0x10000)), ProcessState::kComplete, "a");
  }
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.processes.size(), 3u);
  const ProcessRow& rest = profile.processes[2];
  EXPECT_EQ(rest.processes, 3u);
  EXPECT_EQ(rest.counts[0].samples, 3u * 40);
  EXPECT_EQ(rest.user_ns, 3u * 1'002'000'000);
  ASSERT_EQ(profile.threads.size(), 4u);
  std::uint64_t samples = 0;
  for (const ThreadRow& thread : profile.threads) samples += thread.counts[0].samples;
  EXPECT_EQ(samples, 5u * 40);
}

TEST(MergeOptions, CallersBeyondTheCapAreSaidToBeMissing) {
  ProfileMerger merger({.keep_callers = true, .max_callers = 3});  // none, main, f
  merger.Add(Parse(Stacks(1, 0x10000)), ProcessState::kComplete, "a");
  const Profile profile = merger.Finish();
  EXPECT_EQ(profile.callers.size(), 3u);
  EXPECT_EQ(profile.events[0].samples, 40u);
  EXPECT_THAT(profile.problems, ElementsAre(HasSubstr("more than 3 callers")));
}

}  // namespace
}  // namespace csink

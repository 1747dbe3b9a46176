#include "profil/reading/merge/merged_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <tuple>

#include "profil/reading/merge/merge.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using ::testing::IsEmpty;
using testing::SpoolBuilder;

const MergeOptions kAll = {.keep_callers = true, .keep_phases = true};

spool::Spool Parse(std::vector<std::byte> bytes) {
  auto spool = spool::ParseSpool(std::move(bytes));
  EXPECT_TRUE(spool) << spool.error().what;
  return std::move(*spool);
}

/// A process with everything that a spool can hold.
SpoolBuilder Full(std::uint32_t pid) {
  SpoolBuilder b;
  b.header().pid = pid;
  b.header().uid = 1000;
  b.header().start_realtime_ns += pid;
  b.header().rank_plus_one = pid;
  b.header().depth = 2;
  b.header().paused_ns = 5;
  b.header().bad_stacks = 6;
  b.header().lost_ns[2] = 77;
  testing::SetText(b.header().job, "job-9");
  b.SetConfiguration("CSINK_TOP='3'\n");
  b.AddEvent("instructions:u", EventClass::kInstructions, 1000);
  const auto app = b.AddRegion(
      {.path = "/usr/bin/app", .start = 0x401000, .end = 0x405000, .build_id = "\x01\x02"});
  const auto jit =
      b.AddRegion({.start = 0x70000, .end = 0x90000, .flags = spool::kRegionAnonymous, .inode = 0});
  spool::ChainEndRecord end{};
  end.end = spool::ChainEnd::kNoRows;
  end.way = spool::ChainWay::kUnwind;
  end.region = app;
  end.copied_bytes = 8192 * pid;
  end.chains = 6;
  b.AddChainEnd(end);
  const auto worker = b.AddThread(pid + 1, "worker", 0x401230, app);
  b.thread(worker).cpu_ns = 12'000'000;
  b.thread(worker).start_monotonic_ns = 5'000;
  b.thread(worker).end_monotonic_ns = 105'000;
  b.thread(worker).run_ns = 40'000;
  b.thread(worker).wait_ns = 10'000 + pid;
  b.thread(worker).undivided_ns = 5'000;
  const auto shared = b.AddThread(pid + 2, "worker", 0x401230, app);
  b.thread(shared).flags = spool::kThreadShared;
  b.thread(shared).threads = 30 + pid;
  b.header().wall = {.threads = 3,
                     .wall_ns = 300'000,
                     .run_ns = 90'000,
                     .wait_ns = 20'000 + pid,
                     .undivided_ns = 7'000,
                     .processors = 4,
                     .read_errno = 24,
                     .reserved = 0};
  const auto main = b.AddChain(0, app, 0x401100);
  const auto cut = b.AddChain(0, jit, 0x71000, spool::kChainCut);
  const auto empty = b.AddChain(0, spool::kNone, 0, spool::kChainCut | spool::kChainEmpty);
  const auto load = b.AddPhase("load", 10'000'000);
  b.AddHitsAt(app, 1, 0x403000, 10 + pid, main, load);
  b.AddHitsAt(jit, worker, 0x72000, 5, cut);
  b.AddHitsAt(jit, worker, 0x72000, 2, empty);
  b.AddHitsAt(app, worker, 0x403100, 7, 0, 0, 1);
  b.AddHits(spool::kNone - 1, 1, 0x1, 3);
  b.AddRoutine(0x401230, app, 12, 3'000'000);
  b.AddRoutine(0, spool::kNone, 2, 1'000);
  return b;
}

Profile Merge(std::vector<spool::Spool> spools, const MergeOptions& options = kAll) {
  ProfileMerger merger(options);
  for (const spool::Spool& spool : spools) {
    merger.Add(spool, ProcessState::kComplete, "/spools/" + std::to_string(spool.header.pid));
  }
  return merger.Finish();
}

std::vector<spool::Spool> Three() {
  std::vector<spool::Spool> spools;
  for (const std::uint32_t pid : {11u, 12u, 13u}) spools.push_back(Parse(Full(pid).Build()));
  return spools;
}

void ExpectSame(const Profile& a, const Profile& b) {
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].name, b.events[i].name);
    EXPECT_EQ(a.events[i].samples, b.events[i].samples);
    EXPECT_EQ(a.events[i].weight, b.events[i].weight);
    EXPECT_DOUBLE_EQ(a.events[i].weight_squared, b.events[i].weight_squared);
  }
  ASSERT_EQ(a.places.size(), b.places.size());
  for (std::size_t i = 0; i < a.places.size(); ++i) {
    EXPECT_EQ(a.places[i].address.offset, b.places[i].address.offset);
    EXPECT_EQ(a.modules[a.places[i].address.module].path,
              b.modules[b.places[i].address.module].path);
    EXPECT_EQ(a.places[i].counts[0].samples, b.places[i].counts[0].samples);
    EXPECT_EQ(a.places[i].counts[1].weight, b.places[i].counts[1].weight);
    EXPECT_EQ(a.places[i].caller, b.places[i].caller);
    EXPECT_EQ(a.places[i].phase, b.places[i].phase);
  }
  ASSERT_EQ(a.callers.size(), b.callers.size());
  for (std::size_t i = 0; i < a.callers.size(); ++i) {
    EXPECT_EQ(a.callers[i].address.offset, b.callers[i].address.offset);
    EXPECT_EQ(a.callers[i].flags, b.callers[i].flags);
  }
  ASSERT_EQ(a.chain_ends.size(), b.chain_ends.size());
  for (std::size_t i = 0; i < a.chain_ends.size(); ++i) {
    const ChainEndSum& x = a.chain_ends[i];
    const ChainEndSum& y = b.chain_ends[i];
    EXPECT_EQ(std::tie(x.end, x.way, x.copied_bytes, x.chains),
              std::tie(y.end, y.way, y.copied_bytes, y.chains));
    EXPECT_EQ(a.modules[x.module].path, b.modules[y.module].path);
  }
  ASSERT_EQ(a.phases.size(), b.phases.size());
  for (std::size_t i = 0; i < a.phases.size(); ++i) {
    EXPECT_EQ(a.phases[i].name, b.phases[i].name);
    EXPECT_EQ(a.phases[i].cpu_ns, b.phases[i].cpu_ns);
    EXPECT_EQ(a.phases[i].marks, b.phases[i].marks);
  }
}

void ExpectSameRows(const Profile& a, const Profile& b) {
  ASSERT_EQ(a.processes.size(), b.processes.size());
  for (std::size_t i = 0; i < a.processes.size(); ++i) {
    const ProcessRow& x = a.processes[i];
    const ProcessRow& y = b.processes[i];
    EXPECT_EQ(std::tie(x.spool_path, x.host, x.program, x.command, x.job, x.configuration),
              std::tie(y.spool_path, y.host, y.program, y.command, y.job, y.configuration));
    EXPECT_EQ(std::tie(x.pid, x.uid, x.rank, x.depth, x.paused_ns, x.bad_stacks, x.lost_ns),
              std::tie(y.pid, y.uid, y.rank, y.depth, y.paused_ns, y.bad_stacks, y.lost_ns));
    EXPECT_EQ(x.counts[0].samples, y.counts[0].samples);
    EXPECT_EQ(x.wall, y.wall);
    EXPECT_EQ(std::tie(x.processors, x.wall_errno), std::tie(y.processors, y.wall_errno));
  }
  ASSERT_EQ(a.threads.size(), b.threads.size());
  for (std::size_t i = 0; i < a.threads.size(); ++i) {
    const ThreadRow& x = a.threads[i];
    const ThreadRow& y = b.threads[i];
    EXPECT_EQ(std::tie(x.process, x.tid, x.name, x.is_merged, x.threads, x.cpu_ns),
              std::tie(y.process, y.tid, y.name, y.is_merged, y.threads, y.cpu_ns));
    EXPECT_EQ(x.start_routine.offset, y.start_routine.offset);
    EXPECT_EQ(x.counts[1].weight, y.counts[1].weight);
    EXPECT_EQ(x.wall, y.wall);
  }
  ASSERT_EQ(a.short_threads.size(), b.short_threads.size());
  for (std::size_t i = 0; i < a.short_threads.size(); ++i) {
    EXPECT_EQ(a.short_threads[i].threads, b.short_threads[i].threads);
    EXPECT_EQ(a.short_threads[i].start_routine.module, b.short_threads[i].start_routine.module);
  }
}

TEST(MergedFile, ReadsBackAsTheProfileThatItWasMadeOf) {
  const Profile profile = Merge(Three());
  const auto bytes = BuildMergedFile(profile);
  ASSERT_TRUE(bytes) << bytes.error().what;
  std::vector<spool::Spool> merged;
  merged.push_back(Parse(*bytes));
  EXPECT_THAT(merged[0].problems, IsEmpty());
  EXPECT_EQ(merged[0].processes.size(), 3u);
  const Profile again = Merge(std::move(merged));
  ExpectSame(profile, again);
  ExpectSameRows(profile, again);
}

TEST(MergedFile, IsMergedWithOthersAsItsSpoolsWouldBe) {
  auto spools = Three();
  std::vector<spool::Spool> two;
  two.push_back(Parse(Full(11).Build()));
  two.push_back(Parse(Full(12).Build()));
  const auto bytes = BuildMergedFile(Merge(std::move(two)));
  ASSERT_TRUE(bytes);
  std::vector<spool::Spool> mixed;
  mixed.push_back(Parse(*bytes));
  mixed.push_back(Parse(Full(13).Build()));
  const Profile all = Merge(std::move(spools));
  const Profile again = Merge(std::move(mixed));
  ExpectSame(all, again);
  ExpectSameRows(all, again);
}

TEST(MergedFile, KeepsWhatIsToBeSaidOfItsSpools) {
  ProfileMerger merger(kAll);
  merger.Add(Parse(Full(11).Build()), ProcessState::kComplete, "/spools/11");
  for (int i = 0; i < 70; ++i) merger.AddProblem("spool " + std::to_string(i) + ": cut off");
  for (int i = 0; i < 1100; ++i) {
    merger.AddNotFollowed("/bin/" + std::to_string(i), "is statically linked", 2);
  }
  merger.AddNotFollowed("/bin/0", "is setuid or setgid", 1);
  merger.AddNotFollowed("/bin/0", "is statically linked", 5);
  const Profile profile = merger.Finish();
  ASSERT_EQ(profile.problems.size(), 71u);
  ASSERT_EQ(profile.not_followed.size(), 1025u);  // hostile trees cost no memory
  EXPECT_EQ(profile.not_followed[0].times, 7u);
  EXPECT_EQ(profile.not_followed[1024].program, "more programs");
  EXPECT_EQ(profile.not_followed[1024].times, 76u * 2 + 1);

  const auto bytes = BuildMergedFile(profile);
  ASSERT_TRUE(bytes);
  std::vector<spool::Spool> merged;
  merged.push_back(Parse(*bytes));
  const Profile again = Merge(std::move(merged));
  ASSERT_EQ(again.problems.size(), 65u);
  EXPECT_EQ(again.problems[1], profile.problems[1]);
  EXPECT_EQ(again.problems[64], "damage in 7 more places");  // one is the spool's own
  ASSERT_EQ(again.not_followed.size(), profile.not_followed.size());
  for (std::size_t i = 0; i < again.not_followed.size(); ++i) {
    EXPECT_EQ(again.not_followed[i].program, profile.not_followed[i].program);
    EXPECT_EQ(again.not_followed[i].why, profile.not_followed[i].why);
    EXPECT_EQ(again.not_followed[i].times, profile.not_followed[i].times);
  }
}

/// The tree facts of the file made of the profile, as read back.
std::vector<TreeFacts> FactsWritten(const Profile& profile) {
  const auto bytes = BuildMergedFile(profile);
  EXPECT_TRUE(bytes);
  std::vector<spool::Spool> merged;
  merged.push_back(Parse(*bytes));
  return Merge(std::move(merged)).tree_facts;
}

TEST(MergedFile, KeepsWhatProcessesRecordedOfEachOther) {
  auto spool = Full(11);
  spool.header().tree_id = 77;
  spool.header().unseen_ns = 3;
  spool.header().switched_off_ns = 4;
  ProfileMerger merger(kAll);
  merger.Add(Parse(spool.Build()), ProcessState::kComplete, "/spools/11");
  Profile profile = merger.Finish();
  profile.tree_facts = {{77, {std::byte{1}, std::byte{2}}}, {78, {std::byte{3}}}, {79, {}}};

  const auto bytes = BuildMergedFile(profile);
  std::vector<spool::Spool> merged;
  merged.push_back(Parse(*bytes));
  const Profile again = Merge(std::move(merged));
  EXPECT_EQ(again.processes[0].tree_id, 77u);
  EXPECT_EQ(again.processes[0].unseen_ns, 3u);
  EXPECT_EQ(again.processes[0].switched_off_ns, 4u);
  ASSERT_EQ(again.tree_facts.size(), 2u);
  EXPECT_EQ(again.tree_facts[0].tree_id, 77u);
  EXPECT_EQ(again.tree_facts[0].records, profile.tree_facts[0].records);
  EXPECT_EQ(again.tree_facts[1].tree_id, 78u);

  // The waits for processes without a row of their own would count beside the sum.
  profile.processes[0].processes = 2;
  EXPECT_THAT(FactsWritten(profile), IsEmpty());
}

/// A merged file as a csink without WallTotals and Evidence wrote it: they end the records of two
/// kinds.
std::vector<std::byte> WithoutWall(const std::vector<std::byte>& file) {
  std::vector<std::byte> older(file.begin(), file.begin() + spool::kHeaderBytes);
  for (std::size_t at = spool::kHeaderBytes; at < file.size();) {
    spool::SegmentHeader segment;
    std::memcpy(&segment, file.data() + at, sizeof segment);
    const std::size_t begin = older.size();
    const std::size_t next = at + segment.bytes;
    if (segment.kind == spool::SegmentKind::kProcesses ||
        segment.kind == spool::SegmentKind::kThreadTotals) {
      const auto* record = file.data() + at + sizeof segment;
      const std::uint32_t newer_bytes = segment.record_bytes;
      segment.record_bytes -= sizeof(spool::WallTotals);
      if (segment.kind == spool::SegmentKind::kProcesses) {
        segment.record_bytes -= sizeof(spool::Evidence) + sizeof(spool::ProcessIdentity) +
                                sizeof(spool::ProcessFurther);
      }
      older.resize(begin + sizeof segment);
      for (std::uint32_t i = 0; i < segment.used; ++i, record += newer_bytes) {
        older.insert(older.end(), record, record + segment.record_bytes);
      }
      older.resize(begin + (older.size() - begin + 7) / 8 * 8);
    } else {
      older.insert(older.end(), file.data() + at, file.data() + next);
    }
    segment.bytes = older.size() - begin;
    std::memcpy(older.data() + begin, &segment, sizeof segment);
    at = next;
  }
  const std::uint64_t bytes = older.size();
  std::memcpy(older.data() + offsetof(spool::Header, file_bytes), &bytes, sizeof bytes);
  return older;
}

TEST(MergedFile, OfAnOlderWriterHasNoTimesOfThreads) {
  std::vector<spool::Spool> spools;
  spools.push_back(Parse(Full(7).Build()));
  const auto written = BuildMergedFile(Merge(std::move(spools)));
  ASSERT_TRUE(written);
  std::vector<spool::Spool> older;
  older.push_back(Parse(WithoutWall(*written)));
  EXPECT_THAT(older[0].problems, IsEmpty());
  const Profile profile = Merge(std::move(older));
  ASSERT_EQ(profile.processes.size(), 1u);
  EXPECT_FALSE(profile.processes[0].wall.known());
  EXPECT_EQ(profile.processes[0].bad_stacks, 6u);
  ASSERT_EQ(profile.threads.size(), 4u);
  EXPECT_FALSE(profile.threads[2].wall.known());
  EXPECT_EQ(profile.threads[2].cpu_ns, 12'000'000u);
}

TEST(MergedFile, RefusesMoreEventsThanAFileHas) {
  std::vector<spool::Spool> spools;
  for (int i = 0; i < 9; ++i) {
    SpoolBuilder b;
    testing::SetText(b.event(0).name, "event-" + std::to_string(i));
    spools.push_back(Parse(b.Build()));
  }
  const auto bytes = BuildMergedFile(Merge(std::move(spools)));
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::kLimit);
  EXPECT_EQ(BuildMergedFile(Profile{}).error().code, Errc::kInvalid);
}

TEST(MergedFile, SurvivesRandomDamage) {
  const auto good = BuildMergedFile(Merge(Three()));
  ASSERT_TRUE(good);
  std::mt19937 random(11);
  for (int round = 0; round < 4000; ++round) {
    auto bytes = *good;
    for (int i = 0; i < 8; ++i) {
      const std::size_t at = spool::kHeaderBytes + random() % (bytes.size() - spool::kHeaderBytes);
      bytes[at] = static_cast<std::byte>(random());
    }
    auto spool = spool::ParseSpool(std::move(bytes));
    ASSERT_TRUE(spool);
    std::vector<spool::Spool> spools;
    spools.push_back(std::move(*spool));
    const Profile profile = Merge(std::move(spools));
    for (const ThreadRow& thread : profile.threads) {
      ASSERT_LT(thread.process, profile.processes.size());
    }
    for (const Module& module : profile.modules) {
      if (!module.is_anonymous) continue;
      ASSERT_LT(module.process, profile.processes.size());
    }
  }
}

}  // namespace
}  // namespace csink

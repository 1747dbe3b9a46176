#include "profil/reading/merge/merge_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <tuple>

#include "profil/reading/merge/merge.h"
#include "profil/reading/merge/merged_file.h"
#include "tests/fakes/spool_builder.h"

namespace csink {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SpoolBuilder;

const MergeOptions kRanks = {.keep_callers = true, .keep_phases = true, .keep_ranks = true};

spool::Spool Parse(std::vector<std::byte> bytes) {
  auto spool = spool::ParseSpool(std::move(bytes));
  if (!spool) std::abort();
  return std::move(*spool);
}

/// A rank; `shift`: where its library is mapped. Two callers and two marks of one place.
SpoolBuilder Rank(std::uint32_t rank, std::uint64_t samples, std::uint64_t shift = 0) {
  SpoolBuilder b;
  b.header().pid = 100 + rank;
  b.header().start_monotonic_ns += rank;
  b.header().rank_plus_one = rank + 1;
  const auto app = b.AddRegion({.path = "/bin/app" + std::string(rank % 2 == 0 ? "" : "2"),
                                .start = 0x401000 + shift,
                                .end = 0x405000 + shift,
                                .build_id = rank % 2 == 0 ? "\x01" : "\x02"});
  const auto caller = b.AddChain(0, app, 0x401100 + shift);
  const auto mark = b.AddPhase("load", 10'000'000);
  if (samples == 0) return b;
  b.AddHitsAt(app, 1, 0x402000 + shift, samples, caller);
  b.AddHitsAt(app, 1, 0x402000 + shift, 1, 0, mark);
  return b;
}

Profile MergeAll(const std::vector<spool::Spool>& spools, const MergeOptions& options = kRanks) {
  ProfileMerger merger(options);
  for (const spool::Spool& spool : spools) merger.Add(spool, ProcessState::kComplete, "/spool");
  return merger.Finish();
}

spool::Spool Merged(const Profile& profile) {
  auto bytes = BuildMergedFile(profile);
  if (!bytes) std::abort();
  return Parse(std::move(*bytes));
}

/// {(rank, module, offset, event): (samples, weight)}: independent of the numbering.
using Sums = std::map<std::tuple<std::uint32_t, std::string, std::uint64_t, std::string>,
                      std::pair<std::uint64_t, std::uint64_t>>;

Sums SumsOf(const Profile& profile) {
  Sums sums;
  for (const RankRow& row : profile.ranks.rows) {
    for (const RankCount& count : row.counts) {
      const RankCode& code = profile.ranks.codes[count.code];
      auto& sum = sums[{row.rank, profile.modules[code.address.module].path, code.address.offset,
                        profile.events[code.event].name}];
      EXPECT_EQ(sum.first, 0u) << "a code twice";
      sum = {count.samples, count.weight};
    }
  }
  return sums;
}

TEST(RankTable, HasTheSamplesOfEachRankWithoutCallersAndMarks) {
  std::vector<spool::Spool> spools;
  for (const std::uint32_t rank : {2u, 0u, 1u}) {
    spools.push_back(Parse(Rank(rank, 10 + rank, rank * 0x10000).Build()));
  }
  const Profile profile = MergeAll(spools);
  ASSERT_EQ(profile.ranks.rows.size(), 3u);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(profile.ranks.rows[rank].rank, rank);
    ASSERT_EQ(profile.ranks.rows[rank].counts.size(), 1u);
    EXPECT_EQ(profile.ranks.rows[rank].counts[0].samples, 11 + rank);
    EXPECT_EQ(profile.ranks.rows[rank].counts[0].weight, (11 + rank) * 1'000'003u);
  }
  // Ranks 0 and 2 run the same program at different addresses, rank 1 another program.
  EXPECT_EQ(profile.ranks.codes.size(), 2u);
}

TEST(RankTable, IsEmptyUnlessAskedForAndWithoutRanks) {
  std::vector<spool::Spool> spools;
  spools.push_back(Parse(Rank(0, 10).Build()));
  EXPECT_THAT(MergeAll(spools, {}).ranks.rows, IsEmpty());
  EXPECT_THAT(MergeAll(spools, {.keep_ranks = true, .only_phase = "load"}).ranks.rows, IsEmpty());
  SpoolBuilder none = Rank(0, 10);
  none.header().rank_plus_one = 0;
  spools.clear();
  spools.push_back(Parse(none.Build()));
  EXPECT_THAT(MergeAll(spools).ranks.rows, IsEmpty());
}

TEST(RankTable, KeepsARankWithoutSamples) {
  std::vector<spool::Spool> spools;
  spools.push_back(Parse(Rank(0, 10).Build()));
  spools.push_back(Parse(Rank(1, 0).Build()));
  const Profile profile = MergeAll(spools);
  ASSERT_EQ(profile.ranks.rows.size(), 2u);
  EXPECT_THAT(profile.ranks.rows[1].counts, IsEmpty());
  std::vector<spool::Spool> again;
  again.push_back(Merged(profile));
  EXPECT_EQ(MergeAll(again).ranks.rows.size(), 2u);
}

TEST(RankTable, NeverAddsRanksOfTwoJobs) {
  const auto of_job = [](std::uint32_t rank, std::string_view job) {
    SpoolBuilder b = Rank(rank, 10);
    testing::SetText(b.header().job, job);
    b.header().pid += static_cast<std::uint32_t>(job.size()) * 10;
    return Parse(b.Build());
  };
  const auto merged = [&](std::string_view first, std::string_view second) {
    ProfileMerger merger(kRanks);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      merger.Add(of_job(rank, first), ProcessState::kComplete, "/spool");
      merger.Add(of_job(rank, second), ProcessState::kComplete, "/spool");
    }
    return merger.Finish();
  };
  const Profile one = merged("4711", "4711");
  EXPECT_EQ(one.ranks.rows.size(), 2u);
  const Profile two = merged("4711", "4711.spawn.72");
  EXPECT_THAT(two.ranks.rows, IsEmpty());
  EXPECT_EQ(two.processes.size(), 4u);
  // Nor from merged files.
  std::vector<spool::Spool> files;
  files.push_back(Merged(two));
  EXPECT_THAT(MergeAll(files).ranks.rows, IsEmpty());
  files.clear();
  files.push_back(Merged(one));
  EXPECT_EQ(MergeAll(files).ranks.rows.size(), 2u);
  files.push_back(Merged(merged("", "")));
  EXPECT_THAT(MergeAll(files).ranks.rows, IsEmpty());
}

TEST(RankTable, AddsTheProcessesOfARank) {
  std::vector<spool::Spool> spools;
  spools.push_back(Parse(Rank(4, 10).Build()));
  SpoolBuilder child = Rank(4, 20);
  child.header().pid = 999;
  spools.push_back(Parse(child.Build()));
  const Profile profile = MergeAll(spools);
  ASSERT_EQ(profile.ranks.rows.size(), 1u);
  ASSERT_EQ(profile.ranks.rows[0].counts.size(), 1u);
  EXPECT_EQ(profile.ranks.rows[0].counts[0].samples, 32u);
}

// What libcsink-mpi.so does: sums of sums, in any grouping, are the sum.
TEST(RankTable, SumsInATreeAreTheSum) {
  constexpr std::uint32_t kJob = 20;
  std::vector<spool::Spool> all;
  for (std::uint32_t rank = 0; rank < kJob; ++rank) {
    all.push_back(Parse(Rank(rank, 1 + rank * rank, rank * 0x10000).Build()));
  }
  const Profile flat = MergeAll(all);
  for (const std::uint32_t radix : {2u, 3u, 16u}) {
    std::vector<spool::Spool> level;
    for (std::uint32_t rank = 0; rank < kJob; ++rank) {
      level.push_back(Parse(Rank(rank, 1 + rank * rank, rank * 0x10000).Build()));
    }
    while (level.size() > 1) {
      std::vector<spool::Spool> next;
      for (std::size_t first = 0; first < level.size(); first += radix) {
        std::vector<spool::Spool> group;
        for (std::size_t i = first; i < std::min<std::size_t>(first + radix, level.size()); ++i) {
          group.push_back(std::move(level[i]));
        }
        next.push_back(Merged(MergeAll(group)));
      }
      level = std::move(next);
    }
    const Profile tree = MergeAll(level);
    EXPECT_EQ(SumsOf(tree), SumsOf(flat)) << radix;
    EXPECT_EQ(tree.events[0].samples, flat.events[0].samples);
    EXPECT_EQ(tree.processes.size(), flat.processes.size());
    EXPECT_EQ(tree.places.size(), flat.places.size());
  }
}

TEST(RankTable, RanksWithDifferentEventsHaveColumnsOfTheirOwn) {
  SpoolBuilder other = Rank(1, 5);
  testing::SetText(other.event(0).name, "cycles:u");
  std::vector<spool::Spool> spools;
  spools.push_back(Parse(Rank(0, 10).Build()));
  spools.push_back(Parse(other.Build()));
  std::vector<spool::Spool> merged;
  merged.push_back(Merged(MergeAll(spools)));
  const Sums sums = SumsOf(MergeAll(merged));
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(std::get<3>(sums.begin()->first), "task-clock:u");
  EXPECT_EQ(std::get<3>(sums.rbegin()->first), "cycles:u");
}

TEST(RankTable, LeavesDamagedRanksOut) {
  std::vector<spool::Spool> spools;
  spools.push_back(Parse(Rank(0, 10).Build()));
  auto bytes = BuildMergedFile(MergeAll(spools));
  ASSERT_TRUE(bytes);
  // Finds the segment of counts and lets its record name a code that does not exist.
  std::size_t at = spool::kHeaderBytes;
  spool::SegmentHeader header{};
  for (;; at += header.bytes) {
    ASSERT_LT(at + sizeof header, bytes->size());
    std::memcpy(&header, bytes->data() + at, sizeof header);
    if (header.kind == spool::SegmentKind::kRankCounts) break;
  }
  const std::uint32_t wrong = 77;
  std::memcpy(bytes->data() + at + sizeof header, &wrong, sizeof wrong);
  const spool::Spool damaged = Parse(std::move(*bytes));
  EXPECT_THAT(damaged.ranks.ranks, IsEmpty());
  ASSERT_EQ(damaged.problems.size(), 1u);
  EXPECT_THAT(damaged.problems[0], HasSubstr("the samples of the ranks are damaged"));
  EXPECT_FALSE(damaged.hits.empty());
}

}  // namespace
}  // namespace csink

#include "symbolizer/report/tables/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "symbolizer/report/tables/select_events.h"
#include "symbolizer/report/text/text.h"
#include "tests/symbolizer/report/rank_sample.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A sample of the builder's default event, in seconds.
constexpr double kSample = 1'000'003e-9;

Report Ranks(Profile profile) {
  const FakeResolver names = RankNames();
  return BuildReport(std::move(profile), std::cref(names));
}

const RankFunction& Function(const RankTable& table, std::string_view name) {
  const auto it = std::find_if(table.functions.begin(), table.functions.end(),
                               [&](const RankFunction& row) { return row.function == name; });
  if (it == table.functions.end()) std::abort();
  return *it;
}

TEST(RankTables, AreMissingWithoutTwoRanks) {
  EXPECT_THAT(Make(XzSpool(), XzNames()).ranks.events, IsEmpty());
  ProfileMerger merger({.keep_ranks = true});
  AddTo(merger, RankSpool(0, 10, 10));
  const Report report = Ranks(merger.Finish());
  EXPECT_EQ(report.ranks.ranks, 1u);
  EXPECT_THAT(report.ranks.events, IsEmpty());
  EXPECT_EQ(WriteRanks(report, {}), "");
}

TEST(RankTables, AJobIsCalledSpawnedOnlyWhereItIs) {
  const auto notes = [](const char* second) {
    ProfileMerger merger({.keep_ranks = true});
    for (const char* job : {"4711", second}) {
      SpoolBuilder b = RankSpool(0, 10, 10);
      SetText(b.header().job, job);
      AddTo(merger, b);
    }
    return Ranks(merger.Finish()).verdict.notes;
  };
  EXPECT_THAT(notes("4712"), Contains("ranks of 2 jobs, which are not compared: give csink the "
                                      "spools of one job"));
  EXPECT_THAT(notes("4711.spawn.72"),
              Contains("ranks of 2 jobs (MPI_Comm_spawn makes another one), which are not "
                       "compared: give csink the spools of one job"));
}

TEST(RankTables, HaveMeanExtremesAndTheirRanks) {
  const Report report = Ranks(RankProfile());
  ASSERT_THAT(report.ranks.events, SizeIs(1));
  const RankTable& table = report.ranks.events[0];
  const RankFunction& step = Function(table, "Step");
  // 500 to 507 without 505, and 1000.
  EXPECT_EQ(step.samples, 7 * 500u + 23u + 1000u);
  EXPECT_NEAR(step.spread.mean, 4523.0 / 8 * kSample, 1e-9);
  EXPECT_EQ(step.spread.least.rank, 0u);
  EXPECT_NEAR(step.spread.least.value, 500 * kSample, 1e-9);
  EXPECT_EQ(step.spread.most.rank, 5u);
  EXPECT_NEAR(step.spread.most.value, 1000 * kSample, 1e-9);
  EXPECT_NEAR(step.spread.imbalance, 1000.0 * 8 / 4523 - 1, 1e-9);
  EXPECT_TRUE(step.spread.differs);
  EXPECT_FALSE(step.in_mpi);
  // The interval of 1000 samples: about +-6.2 %.
  EXPECT_NEAR(step.spread.most.interval.HalfWidth() / (1000 * kSample), 0.062, 0.001);
}

TEST(RankTables, TakeARankWithoutSamplesInAFunctionForZero) {
  const Report report = Ranks(RankProfile());
  const RankFunction& barrier = Function(report.ranks.events[0], "PMPI_Barrier");
  EXPECT_TRUE(barrier.in_mpi);
  EXPECT_EQ(barrier.spread.least.rank, 5u);
  EXPECT_EQ(barrier.spread.least.value, 0);
  // The most is 500 seven times: the first rank of these.
  EXPECT_EQ(barrier.spread.most.rank, 0u);
}

TEST(RankTables, ShareOfMpiIsByRank) {
  const Report report = Ranks(RankProfile());
  const RankTable& table = report.ranks.events[0];
  EXPECT_NEAR(table.mpi_share, 3500.0 / (4523 + 3500), 1e-9);
  EXPECT_LT(table.mpi_interval.low, table.mpi_share);
  EXPECT_GT(table.mpi_interval.high, table.mpi_share);
  EXPECT_EQ(table.mpi_least.rank, 5u);
  EXPECT_EQ(table.mpi_least.value, 0);
  EXPECT_EQ(table.mpi_most.rank, 0u);
  EXPECT_NEAR(table.mpi_most.value, 0.5, 1e-9);
}

TEST(RankTables, NameTheRankThatStandsOut) {
  const Report report = Ranks(RankProfile());
  const auto& outliers = report.ranks.events[0].outliers;
  // Rank 5 in Step and in PMPI_Barrier. Its sum is that of the others.
  ASSERT_THAT(outliers, SizeIs(2));
  for (const RankOutlier& row : outliers) EXPECT_EQ(row.value.rank, 5u) << row.function;
  EXPECT_NEAR(outliers[0].median, 500 * kSample, 10 * kSample);
}

TEST(RankTables, EqualRanksDoNotDiffer) {
  ProfileMerger merger({.keep_ranks = true});
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    // As far from each other as samples of a Poisson process are.
    AddTo(merger, RankSpool(rank, 400 + (rank % 4) * 12, 100));
  }
  const Report report = Ranks(merger.Finish());
  const RankTable& table = report.ranks.events[0];
  EXPECT_FALSE(table.total.differs);
  EXPECT_FALSE(Function(table, "Step").spread.differs);
  EXPECT_THAT(table.outliers, IsEmpty());
  EXPECT_THAT(WriteRanks(report, {}), HasSubstr("do not differ"));
}

TEST(RankTables, NoteMissingRanks) {
  ProfileMerger merger({.keep_ranks = true});
  for (const std::uint32_t rank : {0u, 2u, 5u}) AddTo(merger, RankSpool(rank, 10, 10));
  const Report report = Ranks(merger.Finish());
  EXPECT_THAT(report.verdict.notes,
              ::testing::Contains(HasSubstr("no profile of 3 ranks (1, 3, 4)")));
}

TEST(RankTables, FollowTheChosenEvents) {
  ProfileMerger merger({.keep_ranks = true});
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    SpoolBuilder spool = RankSpool(rank, 10, 10);
    const auto event = spool.AddEvent("instructions:u", EventClass::kInstructions, 1000);
    spool.AddHits(0, 1, 0x401030, 7 + rank, event);
    AddTo(merger, spool);
  }
  Report report = Ranks(merger.Finish());
  ASSERT_THAT(report.ranks.events, SizeIs(2));
  EXPECT_NEAR(report.ranks.events[1].total.mean, 7500, 1e-6);
  SelectEvents(report, {"instructions:u"});
  ASSERT_THAT(report.ranks.events, SizeIs(1));
  EXPECT_NEAR(report.ranks.events[0].total.mean, 7500, 1e-6);
}

TEST(RankTables, TextHasTheLoadAndTheFunctions) {
  const std::string text = WriteRanks(Ranks(RankProfile()), {});
  EXPECT_THAT(text, HasSubstr("ranks  8:"));
  EXPECT_THAT(text, HasSubstr("in MPI's libraries 43.6%"));
  EXPECT_THAT(text, HasSubstr("PMPI_Barrier [MPI]"));
  EXPECT_THAT(text, HasSubstr("76.9%"));
  EXPECT_THAT(text, HasSubstr("ranks that stand out"));
}

TEST(RankWall, IsOfTheMainThreads) {
  const Report report = Ranks(RanksWithTimes());
  ASSERT_TRUE(report.ranks.wall);
  const RankWall& wall = *report.ranks.wall;
  EXPECT_NEAR(wall.running.mean, 2, 1e-9);
  EXPECT_EQ(wall.running.most.rank, 0u) << "of equal ranks the first";
  EXPECT_NEAR(wall.waiting.most.value, 0.5, 1e-9);
  EXPECT_NEAR(wall.blocked.mean, 1.5, 1e-9);
  EXPECT_NEAR(wall.blocked.least.value, 0.5, 1e-9);
  EXPECT_EQ(wall.blocked.least.rank, 0u);
  EXPECT_NEAR(wall.blocked.most.value, 2.5, 1e-9);
  EXPECT_EQ(wall.blocked.most.rank, 2u);
  TextStyle wide;
  wide.width = 400;
  EXPECT_THAT(
      WriteRanks(report, wide),
      HasSubstr("main threads, a rank: 2 s running (2 s in rank 0 to 2 s in rank 0), 500 ms "
                "waiting for a processor (500 ms in rank 0 to 500 ms in rank 0), 1.5 s "
                "blocked (500 ms in rank 0 to 2.5 s in rank 2)"));
}

TEST(RankWall, IsMissingIfARanksTimesAre) {
  const Report report = Ranks(RanksWithTimes(1));
  EXPECT_FALSE(report.ranks.wall);
  EXPECT_THAT(WriteRanks(report, {}), ::testing::Not(HasSubstr("main threads")));
}

TEST(RankWaits, AreOfTheMainThreadsByTheCallOfMpi) {
  const Report report = Ranks(RanksWithWaits());
  ASSERT_THAT(report.ranks.waits, SizeIs(2));
  const RankWait& barrier = report.ranks.waits[0];
  EXPECT_EQ(barrier.function, "PMPI_Barrier");
  EXPECT_TRUE(barrier.in_mpi);
  EXPECT_EQ(barrier.primitive, "");
  EXPECT_EQ(barrier.looks, 6u) << "without the helper threads";
  EXPECT_NEAR(barrier.mean, 0.2, 1e-9);
  EXPECT_NEAR(barrier.least.value, 0.1, 1e-9);
  EXPECT_EQ(barrier.least.rank, 0u);
  EXPECT_NEAR(barrier.most.value, 0.3, 1e-9);
  EXPECT_EQ(barrier.most.rank, 2u);
  // Three looks of five: Wilson's interval of 0.6 is 0.231 to 0.882, of 0.5 s.
  EXPECT_NEAR(barrier.most.interval.low, 0.1154, 1e-3);
  EXPECT_NEAR(barrier.most.interval.high, 0.4412, 1e-3);
  const RankWait& read = report.ranks.waits[1];
  EXPECT_EQ(read.function, "Step");
  EXPECT_FALSE(read.in_mpi);
  EXPECT_EQ(read.primitive, "read");
  EXPECT_EQ(read.most.rank, 0u) << "of equal ranks the first";
  const std::string text = WriteRanks(report, {});
  EXPECT_THAT(text, HasSubstr("main threads blocked in"));
  EXPECT_THAT(text, HasSubstr("PMPI_Barrier [MPI]"));
  EXPECT_THAT(text, HasSubstr("Step (read)"));
}

TEST(RankWaits, AreMissingWhereNothingWasObserved) {
  EXPECT_THAT(Ranks(RankProfile()).ranks.waits, IsEmpty());
}

TEST(IsMpiLibrary, KnowsTheLibrariesOfBothImplementations) {
  for (const char* name : {"libmpi.so.40.30.4", "libmpich.so.12.2.3", "libopen-pal.so.40.30.2",
                           "mca_btl_vader.so", "libfabric.so.1.19.0", "libucp.so.0.0.0"}) {
    EXPECT_TRUE(IsMpiLibrary(name)) << name;
  }
  for (const char* name : {"wave", "libc.so.6", "libm.so.6", "mpi_work", "[vdso]"}) {
    EXPECT_FALSE(IsMpiLibrary(name)) << name;
  }
}

}  // namespace
}  // namespace csink::report

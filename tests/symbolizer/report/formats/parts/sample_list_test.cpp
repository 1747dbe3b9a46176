#include "symbolizer/report/formats/parts/sample_list.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/symbolizer/report/formats/timed_report.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using report::ListedSample;
using report::RunClock;
using report::SampleList;
using report::Spread;
using ::testing::HasSubstr;

SampleList ListOf(const report::Report& report, Spread spread = Spread::kEven,
                  std::size_t most = report::kMostListed) {
  return ListSamples(report, RunClock(report.profile), report::SampleOwners(report),
                     report::ChosenEvents(report, {}), {}, spread, most);
}

/// Offset of a record's address in its file.
std::uint64_t OffsetOf(const report::Report& report, const ListedSample& sample) {
  return report.profile.places[sample.place].address.offset;
}

TEST(SampleList, HasEachSampleOnce) {
  const auto report = MakeStacksReport();
  const SampleList list = ListOf(report);
  ASSERT_EQ(list.records.size(), 1000u);
  EXPECT_EQ(list.samples, 1000u);
  std::map<std::uint32_t, std::uint64_t> records, weights;
  std::uint64_t before = 0;
  for (const ListedSample& sample : list.records) {
    ++records[sample.place];
    weights[sample.place] += sample.weight;
    EXPECT_GE(sample.time_ns, before);
    before = sample.time_ns;
    EXPECT_LE(sample.time_ns, 1'050'000'000u);  // the wall time
  }
  for (std::uint32_t i = 0; i < report.profile.places.size(); ++i) {
    EXPECT_EQ(records[i], report.profile.places[i].counts[0].samples);
    EXPECT_EQ(weights[i], report.profile.places[i].counts[0].weight);
  }
  EXPECT_EQ(list.timed, 0u);
}

TEST(SampleList, SpreadsEvenly) {
  const auto report = MakeStacksReport();
  std::map<std::uint32_t, std::vector<std::uint64_t>> times;
  for (const ListedSample& sample : ListOf(report).records) {
    times[sample.owner].push_back(sample.time_ns);
  }
  ASSERT_EQ(times.size(), 3u);
  for (const auto& [owner, own] : times) {
    const double distance = 1.05e9 / static_cast<double>(own.size());
    for (std::size_t i = 1; i < own.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(own[i] - own[i - 1]), distance, 2);
    }
  }
}

TEST(SampleList, TakesRecordedTimes) {
  const auto report = MakeTimedReport();
  const SampleList list = ListOf(report, Spread::kRunning);
  // 10 ms in A, then 20 ms in B; of both threads.
  ASSERT_EQ(list.records.size(), 60u);
  EXPECT_EQ(list.timed, 60u);
  EXPECT_THAT(list.Describe(), HasSubstr("times are recorded"));
  for (const ListedSample& sample : list.records) {
    const std::uint64_t offset = OffsetOf(report, sample);
    if (sample.owner != 0) continue;
    if (offset == 0x1000) {
      EXPECT_LT(sample.time_ns, 11'000'000u);
    } else {
      EXPECT_GE(sample.time_ns, 500'000'000u) << "after the wait";
    }
  }
}

TEST(SampleList, SaysWhatHasNoTime) {
  // Of the main thread the last five samples were left out of the log.
  const auto report = MakeTimedReport({.without_time = 5});
  const SampleList list = ListOf(report);
  EXPECT_EQ(list.records.size(), 60u);
  EXPECT_EQ(list.timed, 55u);
  EXPECT_THAT(list.Describe(), HasSubstr("the times of 55 are recorded"));
  // They come after the limit of the log was reached.
  std::size_t late = 0;
  for (const ListedSample& sample : list.records) late += sample.time_ns > 600'000'000;
  EXPECT_EQ(late, 5u);
}

TEST(SampleList, FollowsTheTimeLine) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 100);
  // It ran in the third and in the sixth tenth of a second alone.
  auto& slices = spool.AddThreadSlices(1);
  slices.slices[2].run_us = 75'000;
  slices.slices[5].run_us = 25'000;
  const auto report = MakeAll({&spool}, FakeResolver());
  std::size_t in_third = 0, in_sixth = 0;
  for (const ListedSample& sample : ListOf(report, Spread::kRunning).records) {
    in_third += sample.time_ns >= 200'000'000 && sample.time_ns <= 300'000'000;
    in_sixth += sample.time_ns >= 500'000'000 && sample.time_ns <= 600'000'000;
  }
  EXPECT_EQ(in_third, 75u);
  EXPECT_EQ(in_sixth, 25u);
}

TEST(SampleList, IsBounded) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 6'000'000'000);
  spool.AddHits(region, 1, 0x1100, 3'000'000'000);
  spool.AddHits(region, 1, 0x1200, 1'000'000'000);
  spool.AddHits(region, 1, 0x1300, 1);
  const auto report = MakeAll({&spool}, FakeResolver());
  const SampleList list = ListOf(report, Spread::kEven, 1000);
  std::map<std::uint64_t, std::uint64_t> records, weights;
  for (const ListedSample& sample : list.records) {
    ++records[OffsetOf(report, sample)];
    weights[OffsetOf(report, sample)] += sample.weight;
  }
  EXPECT_NEAR(static_cast<double>(records[0x1000]), 600, 1);
  EXPECT_NEAR(static_cast<double>(records[0x1100]), 300, 1);
  EXPECT_NEAR(static_cast<double>(records[0x1200]), 100, 1);
  EXPECT_EQ(records[0x1300], 1u);
  for (const auto& place : report.profile.places) {
    EXPECT_EQ(weights[place.address.offset], place.counts[0].weight);
  }
  EXPECT_THAT(list.Describe(), HasSubstr("records stand for 10,000,000,001 samples"));
}

}  // namespace
}  // namespace csink::testing

#include "compat/papi/profiling/caller_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <thread>

namespace csink {
namespace {

constexpr std::uintptr_t kText = 0x400000;

std::unique_ptr<CallerHistogram> Make(std::vector<HistogramRegion> regions,
                                      HistogramOptions options = {}) {
  auto made = CallerHistogram::Make(regions, options);
  EXPECT_TRUE(made) << made.error().what;
  return made ? std::move(*made) : nullptr;
}

Errc ErrorOf(std::vector<HistogramRegion> regions, HistogramOptions options = {}) {
  const auto made = CallerHistogram::Make(regions, options);
  return made ? Errc::kOk : made.error().code;
}

template <class T>
HistogramRegion Region(std::vector<T>& buckets, std::uintptr_t start, unsigned scale) {
  return {buckets.data(), buckets.size() * sizeof(T), start, scale};
}

template <class T>
std::uint64_t Sum(const std::vector<T>& buckets) {
  return std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
}

TEST(CallerHistogram, MapsAddressesToBucketsByTheManualsScales) {
  struct {
    unsigned scale;
    std::uintptr_t distance;
    std::size_t bucket;
  } rows[] = {{0x20000, 0, 0}, {0x20000, 7, 7},  {0x10000, 7, 3}, {0x10000, 8, 4},
              {0x8000, 7, 1},  {0x4000, 15, 1},  {0x4000, 7, 0},  {0xffff, 2, 0},
              {0xffff, 3, 1},  {2, 0x123456, 0}, {3, 0xaaaa, 0},  {3, 0xaaab, 1}};
  for (const auto& row : rows) {
    std::vector<std::uint32_t> buckets(64);
    auto histogram = Make({Region(buckets, kText, row.scale)}, {.width = BucketWidth::k32});
    histogram->AddHit(kText + row.distance, 1);
    EXPECT_EQ(buckets[row.bucket], 1u) << std::hex << row.scale << " " << row.distance;
    EXPECT_EQ(Sum(buckets), 1u);
  }
}

/// Every scale, against the plain formula.
TEST(CallerHistogram, AgreesWithTheFormulaForRandomScales) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const unsigned scale = 3 + static_cast<unsigned>(random() % (0x20000 - 2));
    std::vector<std::uint16_t> buckets(1 + random() % 100);
    auto histogram = Make({Region(buckets, kText, scale)});
    const std::uintptr_t distance = random() % (buckets.size() * 0x20000 / scale + 10);
    histogram->AddHit(kText + distance, 1);
    const std::size_t bucket = static_cast<std::size_t>(distance * scale >> 17);
    if (bucket < buckets.size()) {
      EXPECT_EQ(buckets[bucket], 1) << scale << " " << distance;
    } else {
      EXPECT_EQ(histogram->accounts().outside, 1u) << scale << " " << distance;
    }
    EXPECT_EQ(Sum(buckets) + histogram->accounts().outside, 1u);
  }
}

TEST(CallerHistogram, CountsTheFirstAddressOfARegionAndNothingBelow) {
  std::vector<std::uint16_t> buckets(4);
  auto histogram = Make({Region(buckets, kText, 0x20000)});
  histogram->AddHit(kText, 1);
  histogram->AddHit(kText - 1, 1);
  histogram->AddHit(kText + 3, 1);
  histogram->AddHit(kText + 4, 1);
  EXPECT_EQ(buckets, (std::vector<std::uint16_t>{1, 0, 0, 1}));
  EXPECT_EQ(histogram->accounts().outside, 2u);
}

TEST(CallerHistogram, GivesAnAddressToTheRegionWithTheLargestStart) {
  std::vector<std::uint16_t> rest(1), outer(100), inner(10), twin(10);
  auto histogram = Make({{rest.data(), 1, 0, 2},
                         Region(outer, kText, 0x20000),
                         Region(inner, kText + 50, 0x20000),
                         Region(twin, kText + 50, 0x20000)});
  histogram->AddHit(kText + 49, 1);   // outer
  histogram->AddHit(kText + 50, 1);   // inner, not its twin
  histogram->AddHit(kText + 59, 1);   // inner
  histogram->AddHit(kText + 60, 1);   // outer again
  histogram->AddHit(kText + 100, 1);  // nobody else's
  histogram->AddHit(3, 1);
  EXPECT_EQ(outer[49] + outer[60], 2);
  EXPECT_EQ(inner[0] + inner[9], 2);
  EXPECT_EQ(Sum(twin), 0u);
  EXPECT_EQ(rest[0], 2);
  EXPECT_EQ(histogram->accounts().outside, 0u);
}

TEST(CallerHistogram, LeavesTheBytesOfAnIncompleteLastBucketAlone) {
  std::uint16_t buckets[3] = {};
  auto histogram = Make({{buckets, 5, kText, 0x20000}});
  for (unsigned i = 0; i < 4; ++i) histogram->AddHit(kText + i, 1);
  EXPECT_EQ(buckets[0] + buckets[1], 2);
  EXPECT_EQ(buckets[2], 0);
}

template <class T>
void ExpectSaturation(BucketWidth width) {
  std::vector<T> buckets{static_cast<T>(std::numeric_limits<T>::max() - 2)};
  auto histogram = Make({Region(buckets, kText, 2)}, {.width = width, .weighted = true});
  histogram->AddHit(kText, 1);
  EXPECT_EQ(buckets[0], std::numeric_limits<T>::max() - 1);
  EXPECT_EQ(histogram->accounts().saturated, 0u);
  histogram->AddHit(kText, 5);
  histogram->AddHit(kText, ~std::uint64_t{0});
  EXPECT_EQ(buckets[0], std::numeric_limits<T>::max());
  EXPECT_EQ(histogram->accounts().saturated, 2u);
}

TEST(CallerHistogram, SaturatesBucketsOfEveryWidth) {
  ExpectSaturation<std::uint16_t>(BucketWidth::k16);
  ExpectSaturation<std::uint32_t>(BucketWidth::k32);
  ExpectSaturation<std::uint64_t>(BucketWidth::k64);
}

TEST(CallerHistogram, WeighsOnlyWhenAsked) {
  std::vector<std::uint32_t> plain(1), weighted(1);
  Make({Region(plain, kText, 2)}, {.width = BucketWidth::k32})->AddHit(kText, 7);
  Make({Region(weighted, kText, 2)}, {.width = BucketWidth::k32, .weighted = true})
      ->AddHit(kText, 7);
  EXPECT_EQ(plain[0], 1u);
  EXPECT_EQ(weighted[0], 7u);
}

TEST(CallerHistogram, DropsAQuarterAtRandom) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    std::vector<std::uint32_t> buckets(1);
    auto histogram = Make({Region(buckets, kText, 2)},
                          {.width = BucketWidth::k32, .drop_random = true, .seed = seed});
    for (int i = 0; i < 20000; ++i) histogram->AddHit(kText, 1);
    EXPECT_NEAR(static_cast<double>(histogram->accounts().dropped), 5000, 200) << "seed " << seed;
    EXPECT_EQ(buckets[0] + histogram->accounts().dropped, 20000u);
  }
}

TEST(CallerHistogram, CompressedBucketsTellHowManyHitsTheyStandFor) {
  std::vector<std::uint16_t> buckets(1);
  auto histogram = Make({Region(buckets, kText, 2)}, {.compress = true});
  constexpr double kHits = 100000;
  for (int i = 0; i < kHits; ++i) histogram->AddHit(kText, 1);
  const double stands_for = -65536 * std::log(1 - buckets[0] / 65536.0);
  EXPECT_NEAR(stands_for / kHits, 1, 0.02);  // more hits than a plain 16-bit bucket can hold
  EXPECT_EQ(histogram->accounts().saturated, 0u);
}

TEST(CallerHistogram, LosesNothingWhenThreadsShareBuckets) {
  std::vector<std::uint64_t> buckets(2);
  auto histogram = Make({Region(buckets, kText, 0x20000)}, {.width = BucketWidth::k64});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50000; ++i) histogram->AddHit(kText + static_cast<unsigned>(i % 2), 1);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(buckets[0], 100000u);
  EXPECT_EQ(buckets[1], 100000u);
}

TEST(CallerHistogram, RefusesWhatItCannotFill) {
  alignas(8) unsigned char buffer[16] = {};
  const HistogramOptions wide = {.width = BucketWidth::k64};
  EXPECT_EQ(ErrorOf({}), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{nullptr, 16, kText, 2}}), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{buffer, 0, kText, 2}}), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{buffer, 1, kText, 0x10000}}), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{buffer, 7, kText, 0x10000}}, wide), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{buffer + 1, 8, kText, 2}}), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{buffer + 4, 8, kText, 2}}, wide), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{buffer, ~std::size_t{0}, kText, 2}}), Errc::kInvalid);
  for (const unsigned scale : {0u, 1u, 0x20001u, 0xffffffffu}) {
    EXPECT_EQ(ErrorOf({{buffer, 16, kText, scale}}), Errc::kInvalid) << scale;
  }
  EXPECT_EQ(ErrorOf({{buffer, 16, kText, 0x20000}, {nullptr, 16, kText, 2}}), Errc::kInvalid);
  EXPECT_EQ(ErrorOf({{buffer, 16, ~std::uintptr_t{0}, 0x20000}}, wide), Errc::kOk);
}

}  // namespace
}  // namespace csink

#include "profil/inside/spool/histogram.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>
#include <vector>

namespace csink {
namespace {

using Outcome = BucketSegment::Outcome;

/// A segment in memory of the test's own, and a plain reading of it.
class SegmentMemory {
 public:
  SegmentMemory(std::uint32_t capacity, std::size_t events)
      : events_(events),
        capacity_(capacity),
        words_(capacity * BucketSegment::BucketBytes(events) / sizeof(std::uint64_t)) {}

  BucketSegment segment() { return {words_.data(), capacity_, events_}; }

  struct Bucket {
    std::uint32_t region;
    std::uint32_t thread;
    std::uint64_t pc;
    std::uint64_t tag;
    std::vector<spool::Count> counts;
  };
  std::vector<Bucket> buckets() const {
    std::vector<Bucket> found;
    const std::size_t step = BucketSegment::BucketBytes(events_) / sizeof(std::uint64_t);
    for (std::uint32_t i = 0; i < capacity_; ++i) {
      const std::uint64_t* at = words_.data() + i * step;
      if (at[0] == 0) continue;
      Bucket bucket = {static_cast<std::uint32_t>(at[0] >> 32) - 1,
                       static_cast<std::uint32_t>(at[0]) - 1,
                       at[1],
                       at[2],
                       {}};
      for (std::size_t e = 0; e < events_; ++e) {
        bucket.counts.push_back({at[3 + 2 * e], at[4 + 2 * e]});
      }
      found.push_back(bucket);
    }
    return found;
  }

 private:
  std::size_t events_;
  std::uint32_t capacity_;
  std::vector<std::uint64_t> words_;
};

TEST(BucketSegment, MakesABucketAtTheFirstHitAndCountsInIt) {
  SegmentMemory memory(64, 2);
  BucketSegment segment = memory.segment();
  EXPECT_EQ(segment.AddHit({3, 4, 0x1000}, 0, 10), Outcome::kCounted);
  EXPECT_EQ(segment.AddHit({3, 4, 0x1000}, 0, 20), Outcome::kCounted);
  EXPECT_EQ(segment.AddHit({3, 4, 0x1000}, 1, 7), Outcome::kCounted);
  const auto buckets = memory.buckets();
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].region, 3u);
  EXPECT_EQ(buckets[0].thread, 4u);
  EXPECT_EQ(buckets[0].pc, 0x1000u);
  EXPECT_EQ(buckets[0].tag, spool::kPublished);
  EXPECT_EQ(buckets[0].counts[0].samples, 2u);
  EXPECT_EQ(buckets[0].counts[0].weight, 30u);
  EXPECT_EQ(buckets[0].counts[1].samples, 1u);
  EXPECT_EQ(buckets[0].counts[1].weight, 7u);
}

TEST(BucketSegment, TellsKeysApartByEachOfTheirParts) {
  SegmentMemory memory(1024, 1);
  BucketSegment segment = memory.segment();
  const BucketSegment::Key keys[] = {
      {0, 0, 0},         {1, 0, 0},          {0, 1, 0},
      {0, 0, 1},         {0, 0, UINT64_MAX}, {0, 0, 0, 1},
      {0, 0, 0, 0xffff}, {0, 0, 0, 0, 1},    {0xfffffffe, 0xfffffffe, 5, 3, 0xffffffff}};
  for (int round = 0; round < 3; ++round) {
    for (const auto& key : keys) EXPECT_EQ(segment.AddHit(key, 0, 1), Outcome::kCounted);
  }
  const auto buckets = memory.buckets();
  EXPECT_EQ(buckets.size(), std::size(keys));
  for (const auto& bucket : buckets) EXPECT_EQ(bucket.counts[0].samples, 3u);
}

TEST(BucketSegment, CountsAsExactlyAsAMapWhateverTheCollisions) {
  SegmentMemory memory(256, 1);
  BucketSegment segment = memory.segment();
  std::mt19937_64 random(42);
  std::map<std::uint64_t, std::uint64_t> truth;
  std::uint64_t absent = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t pc = 0x400000 + random() % 300 * 4;
    if (segment.AddHit({0, 0, pc}, 0, 3) == Outcome::kCounted) {
      ++truth[pc];
    } else {
      ++absent;
      EXPECT_EQ(truth.count(pc), 0u) << "a key that has a bucket is never turned away";
    }
  }
  EXPECT_GT(absent, 0u) << "300 keys do not fit into 256 buckets";
  const auto buckets = memory.buckets();
  EXPECT_EQ(buckets.size(), truth.size());
  for (const auto& bucket : buckets) {
    EXPECT_EQ(bucket.counts[0].samples, truth[bucket.pc]);
    EXPECT_EQ(bucket.counts[0].weight, 3 * truth[bucket.pc]);
  }
}

TEST(BucketSegment, SaysSoWhenAWindowIsFull) {
  SegmentMemory memory(16, 1);
  BucketSegment segment = memory.segment();
  for (std::uint64_t pc = 0; pc < 16; ++pc) {
    EXPECT_EQ(segment.AddHit({0, 0, pc}, 0, 1), Outcome::kCounted);
  }
  EXPECT_EQ(segment.AddHit({0, 0, 99}, 0, 1), Outcome::kAbsent);
  EXPECT_EQ(segment.AddHit({0, 0, 7}, 0, 1), Outcome::kCounted);
  EXPECT_EQ(memory.buckets().size(), 16u);
}

TEST(BucketSegment, WorksInASegmentSmallerThanTheWindow) {
  SegmentMemory memory(4, 1);
  BucketSegment segment = memory.segment();
  for (std::uint64_t pc = 0; pc < 4; ++pc) {
    EXPECT_EQ(segment.AddHit({0, 0, pc}, 0, 1), Outcome::kCounted);
  }
  EXPECT_EQ(segment.AddHit({0, 0, 4}, 0, 1), Outcome::kAbsent);
}

TEST(BucketSegment, SpreadsTheAddressesOfOneFunction) {
  SegmentMemory memory(1024, 1);
  BucketSegment segment = memory.segment();
  for (std::uint64_t pc = 0; pc < 450; ++pc) {
    EXPECT_EQ(segment.AddHit({0, 0, 0x7f1234500000 + pc * 4}, 0, 1), Outcome::kCounted) << pc;
  }
}

TEST(BucketSegment, HoldsACountBesideEachOtherForEightEvents) {
  SegmentMemory memory(8, spool::kMaxEvents);
  BucketSegment segment = memory.segment();
  for (std::size_t e = 0; e < spool::kMaxEvents; ++e) segment.AddHit({0, 0, 1}, e, e + 1);
  const auto buckets = memory.buckets();
  ASSERT_EQ(buckets.size(), 1u);
  for (std::size_t e = 0; e < spool::kMaxEvents; ++e) {
    EXPECT_EQ(buckets[0].counts[e].samples, 1u);
    EXPECT_EQ(buckets[0].counts[e].weight, e + 1);
  }
}

TEST(BucketSegment, LosesNothingToThreadsThatRaceForTheSameKeys) {
  constexpr int kThreads = 8;
  constexpr std::uint64_t kHits = 30'000;
  constexpr std::uint64_t kKeys = 40;
  SegmentMemory memory(4096, 1);
  BucketSegment segment = memory.segment();
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> counted{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::uint64_t mine = 0;
      for (std::uint64_t i = 0; i < kHits; ++i) {
        const std::uint64_t pc = (i * 7 + static_cast<std::uint64_t>(t)) % kKeys;
        mine += segment.AddHit({1, 2, pc}, 0, 5) == Outcome::kCounted;
      }
      counted += mine;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted, kThreads * kHits);
  std::map<std::uint64_t, std::uint64_t> by_pc;
  std::uint64_t weight = 0;
  for (const auto& bucket : memory.buckets()) {
    EXPECT_EQ(bucket.region, 1u);
    EXPECT_EQ(bucket.thread, 2u);
    by_pc[bucket.pc] += bucket.counts[0].samples;
    weight += bucket.counts[0].weight;
  }
  EXPECT_EQ(by_pc.size(), kKeys);
  for (const auto& [pc, samples] : by_pc) EXPECT_EQ(samples, kThreads * kHits / kKeys) << pc;
  EXPECT_EQ(weight, 5 * kThreads * kHits);
}

}  // namespace
}  // namespace csink

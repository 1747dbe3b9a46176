#include "core/sampling/soft_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace csink {
namespace {

std::vector<std::uint64_t> Drain(SoftRing& ring) {
  std::vector<std::uint64_t> pcs;
  ring.Drain([&](const SoftRing::Sample& sample) { pcs.push_back(sample.pc); });
  return pcs;
}

TEST(SoftRing, FitsThreePages) { EXPECT_LE(sizeof(SoftRing), 3 * 4096u); }

TEST(SoftRing, HandsSamplesOverInOrder) {
  auto ring = std::make_unique<SoftRing>();
  EXPECT_TRUE(ring->Push(1, 10));
  EXPECT_TRUE(ring->Push(2, 20));
  EXPECT_EQ(ring->pending(), 2u);
  std::vector<std::uint64_t> weights;
  ring->Drain([&](const SoftRing::Sample& sample) { weights.push_back(sample.weight_periods); });
  EXPECT_EQ(weights, (std::vector<std::uint64_t>{10, 20}));
  EXPECT_EQ(ring->pending(), 0u);
}

TEST(SoftRing, CountsWhatDoesNotFitAndKeepsWhatIsThere) {
  auto ring = std::make_unique<SoftRing>();
  for (std::uint64_t i = 0; i < SoftRing::kSamples; ++i) EXPECT_TRUE(ring->Push(i, 1));
  EXPECT_FALSE(ring->Push(9999, 1));
  EXPECT_FALSE(ring->Push(9999, 1));
  EXPECT_EQ(ring->dropped, 2u);
  const std::vector<std::uint64_t> pcs = Drain(*ring);
  ASSERT_EQ(pcs.size(), SoftRing::kSamples);
  EXPECT_EQ(pcs.front(), 0u);
  EXPECT_EQ(pcs.back(), SoftRing::kSamples - 1);
  EXPECT_TRUE(ring->Push(1, 1));
}

TEST(SoftRing, KeepsItsOrderRoundTheEndOf32Bits) {
  auto ring = std::make_unique<SoftRing>();
  ring->head = 0xffffffffull - 100;
  ring->tail = 0xffffffffull - 100;
  for (std::uint64_t i = 0; i < SoftRing::kSamples; ++i) EXPECT_TRUE(ring->Push(i, 1));
  const std::vector<std::uint64_t> pcs = Drain(*ring);
  ASSERT_EQ(pcs.size(), SoftRing::kSamples);
  for (std::uint64_t i = 0; i < SoftRing::kSamples; ++i) EXPECT_EQ(pcs[i], i);
}

TEST(SoftRing, IsEmptyAfterReset) {
  auto ring = std::make_unique<SoftRing>();
  for (std::size_t i = 0; i < SoftRing::kSamples + 3; ++i) ring->Push(1, 1);
  ring->Reset();
  EXPECT_EQ(ring->pending(), 0u);
  EXPECT_EQ(ring->dropped, 0u);
}

TEST(SoftRing, LosesNothingBetweenAWriterAndAReader) {
  auto ring = std::make_unique<SoftRing>();
  constexpr std::uint64_t kPushes = 200'000;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kPushes; ++i) ring->Push(i, 1);
    done = true;
  });
  std::uint64_t seen = 0;
  std::uint64_t last = 0;
  bool ordered = true;
  const auto take = [&](const SoftRing::Sample& sample) {
    ordered &= sample.pc > last;
    last = sample.pc;
    ++seen;
  };
  while (!done) ring->Drain(take);
  ring->Drain(take);
  writer.join();
  EXPECT_TRUE(ordered);
  EXPECT_EQ(seen + ring->dropped, kPushes);
}

}  // namespace
}  // namespace csink

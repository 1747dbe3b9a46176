#include "core/counting/components/device/device_counter.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kRange = std::uint64_t{1} << 32;
constexpr DeviceCounter::Limits kWraps = {
    .range = kRange, .most_per_second = 1e9, .update_seconds = 0.1};
constexpr DeviceCounter::Limits kWhole = {.most_per_second = 1000};

// A counter that is read once a second.
class Counter {
 public:
  explicit Counter(const DeviceCounter::Limits& limits) : counter_(limits) {}
  // The total; -1: refused.
  std::int64_t Total(std::uint64_t raw) {
    const auto taken = counter_.Take(raw, now_ns_ += kSecond);
    anew_ += taken && taken->anew ? 1 : 0;
    return taken ? static_cast<std::int64_t>(taken->total) : -1;
  }
  int anew() const { return anew_; }

 private:
  DeviceCounter counter_;
  std::uint64_t now_ns_ = 0;
  int anew_ = 0;
};

TEST(DeviceCounter, GrowsFromItsFirstValue) {
  Counter wraps(kWraps), whole(kWhole);
  EXPECT_EQ(wraps.Total(5'000), 0);
  EXPECT_EQ(wraps.Total(5'600), 600);
  EXPECT_EQ(wraps.Total(5'600), 600);
  EXPECT_EQ(whole.Total(5'000'000), 5'000'000);
  EXPECT_EQ(whole.Total(5'000'700), 5'000'700);
}

TEST(DeviceCounter, GoesOnOverEachWrap) {
  Counter counter(kWraps);
  EXPECT_EQ(counter.Total(kRange - 10), 0);
  EXPECT_EQ(counter.Total(5), 15);
  for (std::uint64_t raw = 900'000'000; raw < kRange; raw += 900'000'000) counter.Total(raw);
  EXPECT_EQ(counter.Total(5), static_cast<std::int64_t>(kRange) + 15);
  Counter odd({.range = 262'143'328'851, .most_per_second = 1e9});  // of a server's package, in µJ
  EXPECT_EQ(odd.Total(262'143'328'850), 0);
  EXPECT_EQ(odd.Total(0), 1) << "its range need not be a power of two";
}

TEST(DeviceCounter, AReadingThatCannotBeIsBridgedByTheNextGoodOne) {
  // Above the range; a jump; a step back; zero; each once, and twice the same.
  constexpr std::uint64_t kWrong[] = {kRange, UINT64_MAX, 4'000'000'000, 900'000'000, 0};
  for (const std::uint64_t wrong : kWrong) {
    Counter counter({.range = kRange, .most_per_second = 1e6, .update_seconds = 0.1});
    EXPECT_EQ(counter.Total(1'000'000'000), 0);
    EXPECT_EQ(counter.Total(1'000'000'700), 700);
    EXPECT_EQ(counter.Total(wrong), -1) << wrong;
    EXPECT_EQ(counter.Total(1'000'001'900), 1'900) << wrong;
    EXPECT_EQ(counter.Total(wrong), -1) << wrong;
    EXPECT_EQ(counter.Total(wrong), -1) << wrong << ": two equal errors are no new beginning";
    EXPECT_EQ(counter.Total(1'000'003'000), 3'000) << wrong;
    EXPECT_EQ(counter.anew(), 0) << wrong;
  }
}

TEST(DeviceCounter, ACounterThatWasSetBackGoesOnFromThere) {
  for (const std::uint64_t back : {0u, 600'000'000u}) {
    Counter counter({.range = kRange, .most_per_second = 1e6, .update_seconds = 0.1});
    EXPECT_EQ(counter.Total(1'000'000'000), 0);
    EXPECT_EQ(counter.Total(1'000'000'500), 500);
    EXPECT_EQ(counter.Total(back), -1);
    EXPECT_EQ(counter.Total(back), -1) << "it may be an error as long as it does not grow";
    EXPECT_EQ(counter.Total(back + 400), 900);
    EXPECT_EQ(counter.anew(), 1);
    EXPECT_EQ(counter.Total(back + 700), 1'200);
    EXPECT_EQ(counter.anew(), 1);
  }
}

TEST(DeviceCounter, AStepBackThatIsSoonMadeUpIsNoBridge) {
  // 500 a second. It lost 700, so the third reading is above the last good one: bridged, it would
  // be 300 in two seconds.
  Counter counter(kWhole);
  for (const std::uint64_t raw : {10'000u, 10'500u, 11'000u}) counter.Total(raw);
  EXPECT_EQ(counter.Total(10'800), -1);
  EXPECT_EQ(counter.Total(11'300), 11'300) << "a lower bound";
  EXPECT_EQ(counter.anew(), 1);
}

TEST(DeviceCounter, AFarGrowthFromARefusedReadingIsNoNewBeginning) {
  // 10 a second; 990 a second would be possible, but was never seen.
  Counter counter(kWhole);
  for (const std::uint64_t raw : {970u, 980u, 990u}) counter.Total(raw);
  EXPECT_EQ(counter.Total(0), -1);
  EXPECT_EQ(counter.Total(1'010), 1'010);
  EXPECT_EQ(counter.anew(), 0);
  EXPECT_EQ(counter.Total(0), -1);
  EXPECT_EQ(counter.Total(1'010), 1'010) << "an idle device";
  EXPECT_EQ(counter.anew(), 0);
}

TEST(DeviceCounter, AFirstValueThatWasWrongIsReplaced) {
  Counter counter(kWhole);
  EXPECT_EQ(counter.Total(1ull << 62), 1ll << 62);
  EXPECT_EQ(counter.Total(700), -1);
  EXPECT_EQ(counter.Total(1'200), (1ll << 62) + 500);
  EXPECT_EQ(counter.anew(), 1);
}

TEST(DeviceCounter, TellsHowSoonItMayWrap) {
  EXPECT_EQ(WrapNs(1'000'000, 500'000), 2 * kSecond);
  EXPECT_EQ(WrapNs(1'000'000, 0), 0u);
  EXPECT_EQ(WrapNs(0, 1), 0u);
}

}  // namespace
}  // namespace csink

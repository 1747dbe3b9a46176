#include "core/overflow/first_period.h"

namespace csink {
namespace {

constexpr std::uint64_t kShortestShare = 16;
constexpr std::uint64_t kShortestClockNs = 50'000;
constexpr std::uint64_t kGoldenSection = 0x9E3779B97F4A7C15;  // 2^64 x (sqrt(5) - 1) / 2

// Every bit of the result depends on all bits of `x`.
std::uint64_t Mixed(std::uint64_t x) noexcept {
  constexpr std::uint64_t kOdd = 0xD6E8FEB86659FD93;
  x = (x ^ (x >> 32)) * kOdd;
  x = (x ^ (x >> 32)) * kOdd;
  return x ^ (x >> 32);
}

// 1 / S(n) for n >= 1: n + 1/2 + 1 / (12 n + 6) - ..., wrong by 0.3 % at 1 and soon by nothing.
double InverseTail(std::uint64_t n) noexcept {
  if (n == 1) return 1.550546;
  const double middle = static_cast<double>(n) + 0.5;
  return middle + 1 / (12 * middle);
}

}  // namespace

std::uint64_t ShortestFirstPeriod(std::uint64_t whole, bool clock) noexcept {
  const std::uint64_t share = whole / kShortestShare;
  if (!clock || share >= kShortestClockNs) return share;
  return kShortestClockNs <= whole / 2 ? kShortestClockNs : 0;
}

void FirstPeriod::Draw(std::uint64_t whole, bool clock, std::uint64_t random) noexcept {
  SetSteady();
  const std::uint64_t shortest = ShortestFirstPeriod(whole, clock);
  if (shortest == 0) return;
  const auto product = static_cast<unsigned __int128>(random) * whole;
  first_ = static_cast<std::uint64_t>(product >> 64) + 1;  // 1 .. whole
  if (first_ <= shortest) first_ += shortest;
  chances_ = static_cast<float>(Mixed(random) >> 40) * 0x1p-24f;
}

unsigned FirstPeriod::Take(std::uint64_t whole, std::uint64_t value) noexcept {
  std::uint64_t number = (value + first_ / 2) / first_;
  // An interrupt that came late is still the first.
  if (number_ == 0 && value < first_ + whole / (2 * kShortestShare)) number = 1;
  if (number <= number_) number = number_ + 1;
  number_ = number;
  if (number == 1) return 1;
  const std::uint64_t periods = (number * first_ - 1) / whole;
  if (periods == 0) return 0;
  chances_ += static_cast<float>(InverseTail(periods) / static_cast<double>(number));
  if (chances_ < 1) return 0;
  chances_ -= 1;
  return 1;
}

void FirstPeriodNumbers::Begin(std::uint64_t chance) noexcept {
  last_.store(Mixed(chance + kGoldenSection), std::memory_order_relaxed);
}

std::uint64_t FirstPeriodNumbers::Next() noexcept {
  return last_.fetch_add(kGoldenSection, std::memory_order_relaxed) + kGoldenSection;
}

}  // namespace csink

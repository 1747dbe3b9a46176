#include "core/sampling/first_period.h"

// The formulas are derived in first_period.h. S(n) is never summed: its inverse has a series that
// converges at once (InverseTail). The sum of chances is kept as one float for each event of a
// thread; it stays below 1, so rounding does not add up to a sample.
// tests/core/sampling/first_period_test.cpp simulates threads of many lengths and compares the
// weights with their lengths.

namespace csink {
namespace {

// r is at least P / 16, so that the first event interrupts at most 16 times as often.
constexpr std::uint64_t kShortestShare = 16;
constexpr std::uint64_t kShortestClockNs = 50'000;
// The cost of a replacement in interrupts: being woken and opening, mapping and enabling an event
// takes 65 us, an interrupt 17 us.
constexpr double kReplacementInterrupts = 4;
constexpr std::uint64_t kGoldenSection = 0x9E3779B97F4A7C15;  // 2^64 x (sqrt(5) - 1) / 2
constexpr std::uint64_t kRootOfTwo = 0x6A09E667F3BCC908;      // 2^64 x (sqrt(2) - 1)

// A hash in which every bit of the result depends on all bits of `x`.
std::uint64_t Mixed(std::uint64_t x) noexcept {
  constexpr std::uint64_t kOdd = 0xD6E8FEB86659FD93;
  x = (x ^ (x >> 32)) * kOdd;
  x = (x ^ (x >> 32)) * kOdd;
  return x ^ (x >> 32);
}

// 1 / S(n) for n >= 1, by the series n + 1/2 + 1 / (12 n + 6) - ... The series is wrong by 0.3 % at
// n = 1, which has its exact value, and by much less above.
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

void FirstPeriod::Draw(std::uint64_t whole, bool clock, const Chance& chance,
                       bool rare_short) noexcept {
  SetSteady();
  const std::uint64_t shortest = ShortestFirstPeriod(whole, clock);
  if (shortest == 0) return;
  const auto product = static_cast<unsigned __int128>(chance.period) * whole;
  std::uint64_t even = static_cast<std::uint64_t>(product >> 64);  // 0 .. whole - 1
  // The first eighth of the numbers is stretched over the first quarter of the period, the others
  // over the rest: r below P / 4 gets half of its density, above 7/6 of it.
  if (rare_short && even < whole / 8) {
    even *= 2;
  } else if (rare_short) {
    even = whole / 4 +
           static_cast<std::uint64_t>(static_cast<unsigned __int128>(even - whole / 8) * 6 / 7);
  }
  first_ = even + 1;
  // Without a loop: a raised r falls between `shortest` and twice that.
  if (first_ <= shortest) first_ += shortest;
  rare_short_ = rare_short;
  chances_ = static_cast<float>(chance.taking >> 40) * 0x1p-24f;
}

// Adds `chance` to the sum, and takes out and returns the sum's whole part.
unsigned FirstPeriod::Whole(double chance) noexcept {
  chances_ += static_cast<float>(chance);
  const auto times = static_cast<unsigned>(chances_);
  chances_ -= static_cast<float>(times);
  return times;
}

unsigned FirstPeriod::Take(std::uint64_t whole, std::uint64_t value) noexcept {
  // The nearest multiple: the count is read in the interrupt, some events after the overflow.
  std::uint64_t number = (value + first_ / 2) / first_;
  // The interrupt of the first overflow may come late; the tolerance keeps it number 1.
  if (number_ == 0 && value < first_ + whole / (2 * kShortestShare)) number = 1;
  // Two records never stand for the same overflow.
  if (number <= number_) number = number_ + 1;
  number_ = number;
  ++records_;
  if (number == 1) return rare_short_ ? Whole(first_ <= whole / 4 ? 2 : 6.0 / 7) : 1;
  const std::uint64_t before = number * first_ - 1;
  const std::uint64_t periods = before / whole;
  if (periods == 0) return 0;
  double inverse = InverseTail(periods);
  if (rare_short_) {
    inverse = 1 / (7 / (6 * inverse) - 2 / (3 * InverseTail(4 * before / whole)));
  }
  return Whole(inverse / static_cast<double>(number));
}

unsigned FirstPeriod::TakeForReplacement() noexcept {
  // No overflow yet, so no last sample whose chance could be raised.
  if (number_ == 0) return 0;
  // Overflows in kernel mode have a number and no record: records / numbers is the share of time in
  // which a sample was possible.
  return Whole(0.5 * static_cast<double>(records_) / static_cast<double>(number_));
}

// After a time t there were t / first_ interrupts, of which t / whole were needed. The difference
// reaches the cost of a replacement at `even`; a replacement is not due before a whole period.
std::uint64_t FirstPeriod::DueIn(std::uint64_t whole) const noexcept {
  if (first_ == 0 || refusals_ >= kMaxRefusals || first_ >= whole) return kNever;
  const auto step = static_cast<double>(first_);
  const auto period = static_cast<double>(whole);
  const double even = kReplacementInterrupts * step * period / (period - step);
  const auto due = static_cast<std::uint64_t>(even > period ? even : period);
  const std::uint64_t done = number_ * first_;
  return done >= due ? 0 : due - done;
}

void FirstPeriodNumbers::Begin(std::uint64_t family, std::uint64_t number) noexcept {
  const std::uint64_t period = Mixed(family + kGoldenSection);
  period_.store(period, std::memory_order_relaxed);
  taking_.store(Mixed(period), std::memory_order_relaxed);
  number_.store(number, std::memory_order_relaxed);
}

FirstPeriod::Chance FirstPeriodNumbers::Next() noexcept {
  const std::uint64_t number = number_.fetch_add(1, std::memory_order_relaxed);
  return {period_.load(std::memory_order_relaxed) + number * kGoldenSection,
          taking_.load(std::memory_order_relaxed) + number * kRootOfTwo};
}

}  // namespace csink

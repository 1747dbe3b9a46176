#include "agent/waiting/look_clock.h"
#include "core/util/mix.h"
#include "core/util/random.h"

/// File: the mean time between two moments is the average cost of a moment divided by the share of
/// a processor that looks may use. The random time is drawn from an exponential distribution by
/// inversion.

namespace csink::agent {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
// The shares of a processor, explained at AllowedPpm. 2,500 millionths are 0.25 %.
constexpr std::uint64_t kFewThreads = 8;
constexpr std::uint64_t kFewPpm = 2'500;
constexpr std::uint64_t kMostPpm = 8'000;
// Weight of a new cost in the moving average: one part in eight.
constexpr std::uint64_t kSmoothing = 8;
// A single cost counts as so many times the average at most (NoteCost).
constexpr std::uint64_t kMostGrowth = 4;
// What is done once in a program of few threads costs 5 to 15 ms, and a short program shall have
// looks nevertheless. More than this is saved again.
constexpr std::uint64_t kFreeDebtNs = 20'000'000;
// The cost of a first moment: 30 us, and 5 us a thread.
constexpr std::uint64_t kFirstNs = 30'000;
constexpr std::uint64_t kFirstThreadNs = 5'000;
// From so many threads on, a moment's cost is mostly that of the looks, so a higher one is believed
// at once: the threads began to move.
constexpr std::uint64_t kManyThreads = 64;

// The binary logarithm of `x`, which must not be 0: the exponent, and for the mantissa m in [1, 2)
// a polynomial through log2 at 1 and 2. Its error is below 0.001, so that the mean of NextNs is off
// by less than 0.1 %. libagent.so is not linked with libm.
double Log2(std::uint64_t x) noexcept {
  const int exponent = 63 - __builtin_clzll(x);
  const double m =
      static_cast<double>(x << (63 - exponent)) / 9223372036854775808.0;  // 2^63: in [1, 2)
  const double t = m - 1;
  return exponent + t * (1.4387 + t * (-0.6778 + t * (0.3218 - 0.0827 * t)));
}

}  // namespace

std::uint64_t LookClock::AllowedPpm(std::uint64_t threads) noexcept {
  if (threads <= kFewThreads) return kFewPpm;
  // In proportion to the threads, because each of them has to be looked at.
  const std::uint64_t ppm = kFewPpm * threads / kFewThreads;
  return ppm < kMostPpm ? ppm : kMostPpm;
}

void LookClock::Start(std::uint64_t seed) noexcept {
  // A xorshift generator with the state 0 gives 0 for ever.
  state_ = MixBits(seed) | 1;
  cost_ns_ = 0;
  threads_ = 0;
  mean_ns_ = kShortestMeanNs;
  debt_ns_ = 0;
}

void LookClock::NoteCost(std::uint64_t cost_ns, std::uint64_t threads) noexcept {
  // What is done once costs a hundred times as much as a usual moment: the spool is made, mappings
  // and unwind tables are read for the first time. It must not slow down all later moments, so a
  // single cost counts as a multiple of the usual one at most. The first guess is that of threads
  // that have all moved on.
  const std::uint64_t guess = kFirstNs + kFirstThreadNs * threads;
  if (cost_ns_ == 0) {
    cost_ns_ = cost_ns < guess ? cost_ns : guess;
  } else {
    // Threads were created: the average of fewer threads would let the next moments be too
    // frequent.
    if (threads > threads_ && threads > kManyThreads && threads_ != 0) {
      cost_ns_ = cost_ns_ * threads / threads_;
    }
    const std::uint64_t most = cost_ns_ * kMostGrowth;
    const std::uint64_t cost = cost_ns < most ? cost_ns : most;
    // A lower cost is averaged in at any number of threads, so that one cheap moment does not
    // shorten the mean at once.
    const std::uint64_t smoothing = cost > cost_ns_ && threads > kManyThreads ? 1 : kSmoothing;
    cost_ns_ = (cost_ns_ * (smoothing - 1) + cost) / smoothing;
  }
  threads_ = threads;
  // A cost that no moment has would overflow the product; the mean is then the longest one.
  constexpr std::uint64_t kHugeCostNs = 100'000'000'000;
  if (cost_ns_ > kHugeCostNs) cost_ns_ = kHugeCostNs;
  // By the mean, not by the random time: the debt would walk at random, too.
  const std::uint64_t allowed = mean_ns_ * AllowedPpm(threads) / kMillion;
  debt_ns_ += cost_ns < kHugeCostNs ? cost_ns : kHugeCostNs;
  // Never below 0: what was not used before does not pay for later moments.
  debt_ns_ -= debt_ns_ < allowed ? debt_ns_ : allowed;
  std::uint64_t mean = cost_ns_ * kMillion / AllowedPpm(threads);
  // Half as many moments as the cost alone allows, until the debt is paid.
  if (debt_ns_ > kFreeDebtNs) mean *= 2;
  if (mean < kShortestMeanNs) mean = kShortestMeanNs;
  if (mean > kLongestMeanNs) mean = kLongestMeanNs;
  mean_ns_ = mean;
}

std::uint64_t LookClock::NextNs() noexcept {
  const std::uint64_t random = NextRandom53(state_);
  // -ln(u) for u in (0, 1]; u is (random + 1) / 2^53.
  constexpr double kLn2 = 0.6931471805599453;
  double factor = (53 - Log2(random + 1)) * kLn2;
  // The polynomial may exceed 53 by its error. The upper bound cuts off one time in ten million
  // (e^-16).
  if (factor < 0) factor = 0;
  if (factor > 16) factor = 16;
  return static_cast<std::uint64_t>(static_cast<double>(mean_ns_) * factor);
}

}  // namespace csink::agent

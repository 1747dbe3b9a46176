#pragma once

#include <cstdint>

namespace csink::agent {

/// Chooses the random moments at which threads are looked at. The time between two moments has an
/// exponential distribution, so that a program that sleeps in step with a fixed clock is not
/// misjudged. The mean follows what the looks cost, so that the observer stays below a share of one
/// processor.
/// Threads: one. Signals: safe (look_clock_signal.cpp); no system calls.
class LookClock {
 public:
  /// The shortest and the longest mean time between two moments, in ns. More than 100 moments a
  /// second narrow no interval that matters. A moment at a thousand threads that have all moved
  /// costs 30 ms, so at 0.8 % of a processor there is one in 4 s; 10 s leave room for slower ones.
  static constexpr std::uint64_t kShortestMeanNs = 10'000'000;
  static constexpr std::uint64_t kLongestMeanNs = 10'000'000'000;

  /// The part of one processor that looks may use, in millionths: 2,500 with up to eight threads,
  /// then more in proportion to the threads, and 8,000 at most. The figures of issue 17 are 3,000
  /// with eight threads and 10,000 with a thousand.
  static std::uint64_t AllowedPpm(std::uint64_t threads) noexcept;

  /// Begins anew. `seed`: any number that differs between processes and runs.
  void Start(std::uint64_t seed) noexcept;
  /// After a moment: `cost_ns` is the CPU time since the moment before, waits between them
  /// included. Where the threads have become more, the cost is expected to grow with them. While
  /// much more has been spent than is allowed, as after the first look at a thousand threads, the
  /// mean is doubled.
  void NoteCost(std::uint64_t cost_ns, std::uint64_t threads) noexcept;
  /// The present mean in ns.
  std::uint64_t mean_ns() const noexcept { return mean_ns_; }
  /// A random time until the next moment, in ns: at most 16 means.
  std::uint64_t NextNs() noexcept;

 private:
  std::uint64_t state_ = 1;    ///< Of the generator, never 0
  std::uint64_t cost_ns_ = 0;  ///< Moving average of the cost of a moment; 0: none yet
  std::uint64_t threads_ = 0;  ///< Of the last moment
  std::uint64_t mean_ns_ = kShortestMeanNs;
  std::uint64_t debt_ns_ = 0;  ///< CPU time spent beyond the allowed part of all means so far
};

}  // namespace csink::agent

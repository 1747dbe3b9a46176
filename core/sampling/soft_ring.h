#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace csink {

/// A ring of samples in our own memory. The timer source's signal handler fills it on the sampled
/// thread; it is drained like a perf ring.
///   ring.Push(pc, 1);                                        // in the handler
///   ring.Drain([&](const SoftRing::Sample& s) { Take(s); });  // in the drain
/// Owns:    its samples. Threads: one writer (the sampled thread), one reader (under the
/// collector's lock).
/// Signals: safe, lock-free.
struct SoftRing {
  struct Sample {
    std::uint64_t pc;
    std::uint64_t weight_periods;  ///< Periods that it stands for: 1 + the ticks missed before
    std::uint64_t time_ns;         ///< CLOCK_MONOTONIC; 0: not asked for
  };
  /// Samples in the ring: with head, tail and dropped three pages of 4 KiB. At 1,000 ticks a second
  /// half a second of CPU time.
  static constexpr std::size_t kSamples = 510;

  // 64 bits: kSamples does not divide 2^32, so with 32 bits the index would jump at the wrap.
  /// Samples written and samples drained since Reset; both only grow. The writer stores head, the
  /// reader stores tail.
  std::atomic<std::uint64_t> head{0};
  std::atomic<std::uint64_t> tail{0};
  /// Samples that found the ring full, since the reader last took the number.
  std::atomic<std::uint32_t> dropped{0};
  std::uint32_t reserved = 0;
  Sample samples[kSamples];

  /// Adds a sample. Returns false if the ring is full; the sample is then counted in `dropped`.
  bool Push(std::uint64_t pc, std::uint64_t weight_periods, std::uint64_t time_ns = 0) noexcept {
    const std::uint64_t h = head.load(std::memory_order_relaxed);
    // Acquire pairs with the release in Drain: the reader has finished with the place.
    if (h - tail.load(std::memory_order_acquire) >= kSamples) {
      dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    samples[h % kSamples] = {pc, weight_periods, time_ns};
    // Release: a reader that sees the new head sees the sample.
    head.store(h + 1, std::memory_order_release);
    return true;
  }
  /// The number of samples that are not drained yet.
  std::uint64_t pending() const noexcept {
    return head.load(std::memory_order_acquire) - tail.load(std::memory_order_relaxed);
  }
  /// Calls `visit(const Sample&)` for each sample written so far, then frees their space.
  template <class Visit>
  void Drain(Visit&& visit) noexcept {
    const std::uint64_t h = head.load(std::memory_order_acquire);
    std::uint64_t t = tail.load(std::memory_order_relaxed);
    for (; t != h; ++t) visit(samples[t % kSamples]);
    tail.store(t, std::memory_order_release);
  }
  /// Empties the ring. Must not overlap with Push or Drain.
  void Reset() noexcept {
    head.store(0, std::memory_order_relaxed);
    tail.store(0, std::memory_order_relaxed);
    dropped.store(0, std::memory_order_relaxed);
  }
};

}  // namespace csink

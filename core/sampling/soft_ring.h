#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace csink {

/// A ring in our own memory, filled by the timer source's signal handler on the
/// sampled thread and drained like a perf ring.
/// Threads: one writer (the thread), one reader (the collector's lock).
/// Signals: safe.
struct SoftRing {
  struct Sample {
    std::uint64_t pc;
    std::uint64_t weight_periods;  ///< 1 + the ticks that were missed before
  };
  static constexpr std::size_t kSamples = 510;

  // 64 bits: kSamples does not divide 2^32, so a narrower count would jump when it wraps.
  std::atomic<std::uint64_t> head{0};
  std::atomic<std::uint64_t> tail{0};
  std::atomic<std::uint32_t> dropped{0};
  std::uint32_t reserved = 0;
  Sample samples[kSamples];

  /// False when full; the sample is counted as dropped.
  bool Push(std::uint64_t pc, std::uint64_t weight_periods) noexcept {
    const std::uint64_t h = head.load(std::memory_order_relaxed);
    if (h - tail.load(std::memory_order_acquire) >= kSamples) {
      dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    samples[h % kSamples] = {pc, weight_periods};
    head.store(h + 1, std::memory_order_release);
    return true;
  }
  std::uint64_t pending() const noexcept {
    return head.load(std::memory_order_acquire) - tail.load(std::memory_order_relaxed);
  }
  template <class Visit>
  void Drain(Visit&& visit) noexcept {
    const std::uint64_t h = head.load(std::memory_order_acquire);
    std::uint64_t t = tail.load(std::memory_order_relaxed);
    for (; t != h; ++t) visit(samples[t % kSamples]);
    tail.store(t, std::memory_order_release);
  }
  void Reset() noexcept {
    head.store(0, std::memory_order_relaxed);
    tail.store(0, std::memory_order_relaxed);
    dropped.store(0, std::memory_order_relaxed);
  }
};

}  // namespace csink

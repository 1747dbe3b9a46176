#pragma once

#include <cstdint>
#include <optional>

/// File: counters of a device's firmware, which may report wrong values.

namespace csink {

/// The growth of a 64-bit counter that a device keeps itself, such as a GPU's energy. A value that
/// no growth can explain (below the last one, or above it by more than the device can use) is
/// refused. If the next value continues from the refused one, the device has begun again (its
/// driver was loaded anew), and counting goes on from there; otherwise the refused value was an
/// error of the device. Threads: one at a time. Signals: safe.
class PlausibleCounter {
 public:
  /// `most_per_second`: the highest growth in counts a second.
  explicit PlausibleCounter(double most_per_second) noexcept : most_per_second_(most_per_second) {}

  /// Takes a value read at `now_ns` (CLOCK_MONOTONIC). Returns the first value plus all growth
  /// since then; nullopt: the value is refused.
  std::optional<std::uint64_t> Take(std::uint64_t raw, std::uint64_t now_ns) noexcept;

 private:
  struct Value {
    std::uint64_t raw = 0;
    std::uint64_t at_ns = 0;
  };
  /// Whether the device can have counted from `before` to `now`.
  bool Follows(const Value& before, const Value& now) const noexcept;

  double most_per_second_;
  std::optional<Value> last_, refused_;
  std::uint64_t total_ = 0;
};

}  // namespace csink

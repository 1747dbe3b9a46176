#pragma once

#include <cstdint>

namespace csink {

/// Decides when overflows come so close that the program they interrupt hardly runs, and to every
/// how many-th they must be thinned. Looks at a quarter of a second of the thread's CPU time at a
/// time: a burst (a thousand page faults) is nobody's harm.
///
/// Thinned when there were more than 40,000 calls a second (25 us apart: a call costs 15 us on a
/// virtual machine), or when the next overflow was due before the handler had returned nine times
/// out of ten. Less again when the calls would stay far below that.
/// Signals: safe.
class OverflowGuard {
 public:
  static constexpr std::uint64_t kWindowNs = 250'000'000;
  static constexpr std::uint64_t kMostPerSecond = 40'000;
  static constexpr std::uint64_t kMaxFactor = 1 << 20;
  /// The clock is asked at each so-many-th call.
  static constexpr std::uint32_t kCallsPerLook = 64;

  std::uint64_t factor() const noexcept { return factor_; }
  /// Before a run: the window begins anew, the factor stays.
  void Restart() noexcept { calls_ = busy_ = 0, begun_ = false; }

  /// A call of the handler was made; `busy`: more than one overflow had come. True: LookAt wants
  /// to be called.
  bool Count(bool busy) noexcept {
    busy_ += busy ? 1 : 0;
    return ++calls_ % kCallsPerLook == 0;
  }
  /// `cpu_ns`: the thread's CPU time now. True: factor() has changed.
  bool LookAt(std::uint64_t cpu_ns) noexcept {
    if (!begun_) {
      begun_ = true;
      begun_ns_ = cpu_ns;
      calls_ = busy_ = 0;
      return false;
    }
    const std::uint64_t elapsed_ns = cpu_ns - begun_ns_;
    if (elapsed_ns < kWindowNs) return false;
    const std::uint64_t per_second =
        static_cast<std::uint64_t>(calls_) * 1'000'000'000 / elapsed_ns;
    const bool always_busy = busy_ > calls_ - calls_ / 10;
    const std::uint64_t before = factor_;
    rate_ = per_second;
    if ((per_second > kMostPerSecond || always_busy) && factor_ < kMaxFactor) {
      factor_ *= 2;
    } else if (factor_ > 1 && per_second < kMostPerSecond / 4 && busy_ < calls_ / 10) {
      factor_ /= 2;
    }
    begun_ns_ = cpu_ns;
    calls_ = busy_ = 0;
    return factor_ != before;
  }
  /// Calls a second in the last whole window.
  std::uint64_t rate() const noexcept { return rate_; }

 private:
  std::uint64_t factor_ = 1;
  std::uint64_t begun_ns_ = 0;
  std::uint64_t rate_ = 0;
  std::uint32_t calls_ = 0;
  std::uint32_t busy_ = 0;
  bool begun_ = false;
};

}  // namespace csink

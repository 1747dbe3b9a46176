#pragma once

#include <cstdint>

namespace csink {

/// Decides whether overflows come so fast that the interrupted program makes hardly any progress,
/// and by which factor they must be thinned out. It judges windows of a quarter of a second of the
/// thread's CPU time, so that a short burst (a thousand page faults) has no effect.
///
/// The factor is doubled where there were more than 40,000 calls a second (25 us apart; a call
/// costs 15 us on a virtual machine), or where in nine calls of ten the next overflow was due
/// before the handler had returned. It is halved again where the calls would stay far below both.
/// Owns: nothing. Threads: the counted thread alone. Signals: safe.
class OverflowGuard {
 public:
  /// Long enough that a burst does not change the factor; a program with too small a threshold is
  /// slow for some windows only, since the factor doubles in each.
  static constexpr std::uint64_t kWindowNs = 250'000'000;
  static constexpr std::uint64_t kMostPerSecond = 40'000;
  /// Beyond this an event would hardly ever overflow; the threshold itself is then the mistake.
  static constexpr std::uint64_t kMaxFactor = 1 << 20;
  /// The thread's clock is read at every 64th call, because reading it costs a system call.
  static constexpr std::uint32_t kCallsPerLook = 64;

  std::uint64_t factor() const noexcept { return factor_; }
  /// Must be called before a run: a new window begins, the factor stays.
  void Restart() noexcept { calls_ = busy_ = 0, begun_ = false; }

  /// Counts a call of the handler; `busy`: more than one overflow had come. Returns true if LookAt
  /// must be called.
  bool Count(bool busy) noexcept {
    busy_ += busy ? 1 : 0;
    return ++calls_ % kCallsPerLook == 0;
  }
  /// Ends the window if it is over. `cpu_ns`: the thread's CPU time now. Returns true if factor()
  /// has changed and the event needs a new period.
  bool LookAt(std::uint64_t cpu_ns) noexcept {
    // The first call after Restart only begins the window: the time before it belongs to no run.
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
    // Nine of ten calls, also where `calls_` is no multiple of ten.
    const bool always_busy = busy_ > calls_ - calls_ / 10;
    const std::uint64_t before = factor_;
    rate_ = per_second;
    if ((per_second > kMostPerSecond || always_busy) && factor_ < kMaxFactor) {
      factor_ *= 2;
      // A quarter: halving the factor doubles the rate, which must then stay below the limit.
    } else if (factor_ > 1 && per_second < kMostPerSecond / 4 && busy_ < calls_ / 10) {
      factor_ /= 2;
    }
    begun_ns_ = cpu_ns;
    calls_ = busy_ = 0;
    return factor_ != before;
  }
  /// Calls a second of CPU time in the last complete window.
  std::uint64_t rate() const noexcept { return rate_; }

 private:
  std::uint64_t factor_ = 1;
  /// The thread's CPU time at the window's begin; valid where begun_ is true.
  std::uint64_t begun_ns_ = 0;
  std::uint64_t rate_ = 0;
  /// In the present window: all calls, and those that were busy.
  std::uint32_t calls_ = 0;
  std::uint32_t busy_ = 0;
  bool begun_ = false;
};

}  // namespace csink

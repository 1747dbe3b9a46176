#pragma once

#include <cstdint>

namespace csink {

/// What the kernel tells of one event of one thread beside its samples, so that a report can say
/// how much the samples leave out.
///
/// A throttled event stands still until the next tick of the kernel, and its counter shows nothing
/// of that: the time between THROTTLE and UNTHROTTLE records is added up instead. An event without
/// a counter (multiplexing, another tool) is found by its running time, which stands still. What
/// was counted and not sampled (records that were lost, the period that is open at the end) is the
/// difference between the event's count and the sum of its samples' periods.
///
/// Owns: nothing; all zero is a new event. Threads: under the collector's lock. Signals: safe.
class EventAccount {
 public:
  /// A sample that stands for `events`.
  void Sampled(std::uint64_t events) noexcept { sampled_ += events; }
  /// THROTTLE and UNTHROTTLE records, with their times on perf's clock.
  void Throttled(std::uint64_t time_ns) noexcept;
  void Unthrottled(std::uint64_t time_ns) noexcept;
  /// Throttles since the last call.
  std::uint32_t TakeThrottles() noexcept;

  /// The ring is closed: it had been wanted and had run for so long, and had counted `count`
  /// (`has_count` false: not known).
  void Close(std::uint64_t enabled_ns, std::uint64_t running_ns, std::uint64_t count,
             bool has_count) noexcept;

  /// What was throttled and not sampled so far is no loss of what comes: sampling begins anew.
  void ForgetLosses() noexcept { throttled_ns_ = closed_.unsampled = closed_.throttled_ns = 0; }

  struct Totals {
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    std::uint64_t throttled_ns = 0;
    std::uint64_t unsampled = 0;  ///< Events that were counted and are in no sample
  };
  /// Of closed rings and of the one that is open now.
  Totals With(std::uint64_t enabled_ns, std::uint64_t running_ns, std::uint64_t count,
              bool has_count) const noexcept;

  /// Samples a second that the present ring was opened with; 0: a fixed period.
  std::uint64_t opened_hz = 0;

 private:
  std::uint64_t Unsampled(std::uint64_t count, bool has_count) const noexcept {
    return has_count && count > sampled_ ? count - sampled_ : 0;
  }

  std::uint64_t sampled_ = 0;  ///< By the present ring
  std::uint64_t throttled_ns_ = 0;
  std::uint64_t throttled_at_ns_ = 0;  ///< No UNTHROTTLE has come yet; 0: it counts
  std::uint32_t throttles_ = 0;
  Totals closed_;
};

/// One throttle lasts at most until the next tick of the kernel: 10 ms at 100 Hz, the slowest. A
/// thread that leaves the processor meanwhile makes the time between the two records longer.
inline constexpr std::uint64_t kLongestThrottleNs = 10'000'000;

}  // namespace csink

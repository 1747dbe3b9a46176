#pragma once

#include <cstdint>

namespace csink {

/// What the kernel reports of one event of one thread beside the samples, so that a report can say
/// how much the samples leave out.
///
/// * A throttled event counts nothing until the kernel's next tick, and its counter does not show
///   that. The times between THROTTLE and UNTHROTTLE records are added up.
/// * An event without a counter (multiplexing, another tool) is found by its running time, which
///   stands still.
/// * Events that were counted and not sampled (lost records, the period still open at the end) are
///   the difference between the event's count and the sum of its samples' periods.
///
/// Owns:    nothing; an object that is all zero is that of a new event.
/// Threads: under the collector's lock. Signals: safe.
class EventAccount {
 public:
  /// Adds a sample that stands for `events` events.
  void Sampled(std::uint64_t events) noexcept { sampled_ += events; }
  /// Adds a THROTTLE or UNTHROTTLE record with its time in ns of perf's clock.
  void Throttled(std::uint64_t time_ns) noexcept;
  /// An UNTHROTTLE without its THROTTLE is ignored.
  void Unthrottled(std::uint64_t time_ns) noexcept;
  /// Returns the number of THROTTLE records since the last call, and begins to count anew.
  std::uint32_t TakeThrottles() noexcept;

  /// The ring is closed. Its event was enabled and running for these times, and counted `count`
  /// (`has_count` false: unknown).
  void Close(std::uint64_t enabled_ns, std::uint64_t running_ns, std::uint64_t count,
             bool has_count) noexcept;

  /// Drops throttled time and unsampled events so far: sampling begins anew, and the new part has
  /// lost nothing yet.
  void ForgetLosses() noexcept { throttled_ns_ = closed_.unsampled = closed_.throttled_ns = 0; }

  /// Times in ns since the slot's accounts were cleared (ThreadSlot::ForgetAccounts); throttled
  /// time and unsampled events since the last ForgetLosses.
  struct Totals {
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    std::uint64_t throttled_ns = 0;
    std::uint64_t unsampled = 0;  ///< Events that were counted and are part of no sample
  };
  /// The totals of all closed rings and of the present one, which has these times and this count.
  Totals With(std::uint64_t enabled_ns, std::uint64_t running_ns, std::uint64_t count,
              bool has_count) const noexcept;

  /// The frequency in Hz that the present ring was opened with; 0: a fixed period.
  std::uint64_t opened_hz = 0;

 private:
  std::uint64_t Unsampled(std::uint64_t count, bool has_count) const noexcept {
    return has_count && count > sampled_ ? count - sampled_ : 0;
  }

  std::uint64_t sampled_ = 0;  ///< Events that samples of the present ring stand for
  std::uint64_t throttled_ns_ = 0;
  std::uint64_t throttled_at_ns_ = 0;  ///< Time of a THROTTLE without its UNTHROTTLE; 0: none
  std::uint32_t throttles_ = 0;
  Totals closed_;  ///< Of closed rings; its throttled_ns is not used
};

/// The longest possible throttle: until the kernel's next tick, 10 ms at the slowest HZ of 100.
/// Where the thread leaves the processor meanwhile the two records lie further apart, so longer
/// times are cut to this one.
inline constexpr std::uint64_t kLongestThrottleNs = 10'000'000;

}  // namespace csink

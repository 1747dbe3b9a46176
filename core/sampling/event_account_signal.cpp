#include "core/sampling/event_account.h"

// File: an event is opened anew from time to time (another period, another ring). The sums of
// closed events are in closed_, and With adds those of the open one.

namespace csink {
namespace {

// Assumed for a throttle without an UNTHROTTLE record: a tick at 250 Hz, the usual HZ.
constexpr std::uint64_t kUsualThrottleNs = 4'000'000;

}  // namespace

void EventAccount::Throttled(std::uint64_t time_ns) noexcept {
  // The kernel writes THROTTLE at the sample that reaches the limit, and UNTHROTTLE at the next
  // timer tick of that CPU (perf_adjust_freq_unthr_context); either record may be lost when the
  // ring is full.
  ++throttles_;
  // The UNTHROTTLE record of the throttle before was lost.
  if (throttled_at_ns_ != 0) throttled_ns_ += kUsualThrottleNs;
  // An unknown time (0) would read as "not throttled".
  throttled_at_ns_ = time_ns != 0 ? time_ns : 1;  // 0 means: not throttled
}

void EventAccount::Unthrottled(std::uint64_t time_ns) noexcept {
  if (throttled_at_ns_ == 0) return;
  const std::uint64_t passed = time_ns > throttled_at_ns_ ? time_ns - throttled_at_ns_ : 0;
  // perf's clock runs on while the thread is off its processor (kLongestThrottleNs).
  throttled_ns_ += passed < kLongestThrottleNs ? passed : kLongestThrottleNs;
  throttled_at_ns_ = 0;
}

std::uint32_t EventAccount::TakeThrottles() noexcept {
  const std::uint32_t throttles = throttles_;
  throttles_ = 0;
  return throttles;
}

void EventAccount::Close(std::uint64_t enabled_ns, std::uint64_t running_ns, std::uint64_t count,
                         bool has_count) noexcept {
  closed_.enabled_ns += enabled_ns;
  closed_.running_ns += running_ns;
  closed_.unsampled += Unsampled(count, has_count);
  // The next ring's event counts from 0 again.
  sampled_ = 0;
  // The event was closed while it was throttled: no UNTHROTTLE can come any more.
  if (throttled_at_ns_ != 0) throttled_ns_ += kUsualThrottleNs;
  throttled_at_ns_ = 0;
}

EventAccount::Totals EventAccount::With(std::uint64_t enabled_ns, std::uint64_t running_ns,
                                        std::uint64_t count, bool has_count) const noexcept {
  Totals totals = closed_;
  totals.enabled_ns += enabled_ns;
  totals.running_ns += running_ns;
  totals.throttled_ns = throttled_ns_ + (throttled_at_ns_ != 0 ? kUsualThrottleNs : 0);
  totals.unsampled += Unsampled(count, has_count);
  return totals;
}

}  // namespace csink

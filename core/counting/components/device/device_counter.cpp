#include "core/counting/components/device/device_counter.h"

#include <algorithm>

namespace csink {

std::optional<DeviceCounter::Growth> DeviceCounter::GrowthFrom(const Value& before,
                                                               const Value& now) const noexcept {
  Growth growth{now.raw - before.raw,
                static_cast<double>(now.at_ns - std::min(now.at_ns, before.at_ns)) / 1e9};
  if (now.raw < before.raw) {
    if (limits_.range == 0) return std::nullopt;
    growth.counts += limits_.range;  // modulo 2^64: range - before + now
  }
  // In doubles: the product of a power and a long time may exceed 64 bits.
  const double most = limits_.most_per_second * (growth.seconds + limits_.update_seconds);
  if (static_cast<double>(growth.counts) > most) return std::nullopt;
  return growth;
}

bool DeviceCounter::MayBeAnew(const Growth& since_refused) const noexcept {
  // Without a power that was seen everything is possible.
  if (fastest_ == 0) return true;
  // Powers vary, and an update more may lie between the two readings: devices update their counters
  // every 0.1 s or more often.
  constexpr double kMore = 2, kUpdateS = 0.1;
  const double seconds = since_refused.seconds + kUpdateS;
  return static_cast<double>(since_refused.counts) <= kMore * fastest_ * seconds;
}

std::optional<DeviceCounter::Taken> DeviceCounter::Take(std::uint64_t raw,
                                                        std::uint64_t now_ns) noexcept {
  // No counter has such a value, so none goes on from it.
  if (limits_.range != 0 && raw >= limits_.range) return std::nullopt;
  const Value now = {raw, now_ns};
  if (!last_) {
    last_ = now;
    if (limits_.range == 0) total_ = raw;
    return Taken{total_, false};
  }
  const std::optional<Growth> growth = GrowthFrom(*last_, now);
  std::optional<Growth> since_refused;
  if (refused_ && refused_->raw != raw) since_refused = GrowthFrom(*refused_, now);
  // A counter that shows its last good value again was not set back.
  const bool anew =
      since_refused && (!growth || (growth->counts != 0 && MayBeAnew(*since_refused)));
  if (!growth && !anew) {
    refused_ = now;
    return std::nullopt;
  }
  // Of two explanations the smaller growth, so that the total stays a lower bound.
  const Growth& known = growth ? *growth : *since_refused;
  total_ += known.counts;
  if (known.seconds > 0) {
    fastest_ = std::max(fastest_, static_cast<double>(known.counts) / known.seconds);
  }
  refused_.reset();
  last_ = now;
  return Taken{total_, anew};
}

std::uint64_t WrapNs(std::uint64_t range, double most_per_second) noexcept {
  if (range == 0 || !(most_per_second > 0)) return 0;
  // A conversion of a larger double to 64 bits would be undefined. 10^18 ns are 31 years.
  constexpr double kLongest = 1e18;
  return static_cast<std::uint64_t>(
      std::clamp(static_cast<double>(range) / most_per_second * 1e9, 1e6, kLongest));
}

}  // namespace csink

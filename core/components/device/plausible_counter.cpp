#include "core/components/device/plausible_counter.h"

#include <algorithm>

namespace csink {

bool PlausibleCounter::Follows(const Value& before, const Value& now) const noexcept {
  if (now.raw < before.raw) return false;
  // GPUs update their counters every 20 ms to 100 ms, not at the moment of the read.
  constexpr double kUpdateS = 1;
  const double seconds = static_cast<double>(now.at_ns - std::min(now.at_ns, before.at_ns)) / 1e9;
  return static_cast<double>(now.raw - before.raw) <= most_per_second_ * (seconds + kUpdateS);
}

std::optional<std::uint64_t> PlausibleCounter::Take(std::uint64_t raw,
                                                    std::uint64_t now_ns) noexcept {
  const Value now = {raw, now_ns};
  if (!last_) {
    total_ = raw;
  } else if (Follows(*last_, now)) {
    total_ += raw - last_->raw;
  } else if (refused_ && Follows(*refused_, now)) {
    // Two values agree: the device has begun again. What it used between its last good value and
    // the refused one is not known.
    total_ += raw - refused_->raw;
  } else {
    refused_ = now;
    return std::nullopt;
  }
  refused_.reset();
  last_ = now;
  return total_;
}

}  // namespace csink

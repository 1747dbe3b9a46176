#include "profil/statistics/energy_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace csink {
namespace {

bool IsInterval(double joules, double seconds) noexcept {
  return std::isfinite(joules) && std::isfinite(seconds) && seconds > 0;
}

BoundedEnergy Around(double joules, double error) noexcept {
  // An energy is not negative. Devices that feed back are, and then the value itself is the limit.
  return {joules, std::max(joules - error, std::min(joules, 0.0)), joules + error};
}

}  // namespace

void CounterEnergy::Add(double joules, double seconds, bool is_full) noexcept {
  if (!IsInterval(joules, seconds)) return;
  ++intervals_;
  joules_ += joules;
  seconds_ += seconds;
  longest_interval_ = std::max(longest_interval_, seconds);
  largest_growth_ = std::max(largest_growth_, joules);
  if (is_full) {
    // A step is the energy of all the time since the step before it.
    highest_watts_ = std::max(highest_watts_, joules / (unchanged_ + seconds));
    shortest_full_ = shortest_full_ > 0 ? std::min(shortest_full_, seconds) : seconds;
  }
  if (joules == 0) {
    unchanged_ += seconds;
    return;
  }
  // The update before the standstill lies in the interval before it, the one after it in this one.
  if (unchanged_ > 0) {
    longest_unchanged_ =
        std::max(longest_unchanged_, Beside(before_unchanged_) + unchanged_ + Beside(seconds));
  }
  unchanged_ = 0;
  before_unchanged_ = seconds;
}

double CounterEnergy::Beside(double seconds) const noexcept {
  return shortest_full_ > 0 ? std::min(seconds, shortest_full_) : seconds;
}

double CounterEnergy::UpdateSeconds() const noexcept {
  // A standstill at the end of the run has no change after it.
  const double at_end = unchanged_ > 0 ? Beside(before_unchanged_) + unchanged_ : 0;
  const double least = steps_.update_seconds > 0 ? steps_.update_seconds : longest_interval_;
  return std::max({least, longest_unchanged_, at_end});
}

double CounterEnergy::ReadingError() const noexcept {
  const double update = UpdateSeconds();
  if (seconds_ <= update) return std::numeric_limits<double>::infinity();
  const double watts = std::max(highest_watts_, (joules_ + steps_.quantum) / (seconds_ - update));
  const double step = std::min(watts * update, largest_growth_ + steps_.quantum);
  return std::max(step, 0.0) + steps_.quantum;
}

BoundedEnergy CounterEnergy::Bounds() const noexcept {
  BoundedEnergy bounds = Around(joules_, ReadingError());
  bounds.high += lacks_;
  return bounds;
}

void PowerEnergy::Add(double joules, double before, double now, double seconds) noexcept {
  if (!IsInterval(joules, seconds) || !std::isfinite(before) || !std::isfinite(now)) return;
  ++intervals_;
  joules_ += joules;
  seconds_ += seconds;
  variation_ += weight_ * std::fabs(now - before) * seconds;
  highest_watts_ = std::max({highest_watts_, std::fabs(before), std::fabs(now)});
  longest_interval_ = std::max(longest_interval_, seconds);
}

double PowerEnergy::UpdateSeconds() const noexcept {
  return steps_.update_seconds > 0 ? steps_.update_seconds : longest_interval_;
}

double PowerEnergy::ReadingError() const noexcept { return highest_watts_ * UpdateSeconds(); }

BoundedEnergy PowerEnergy::Bounds() const noexcept {
  return Around(joules_, GrowingError() + ReadingError());
}

}  // namespace csink

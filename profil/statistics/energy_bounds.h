#pragma once

#include <cstdint>

/// File: how far a measured energy may be from the energy that was used.
///
/// A counter of energy moves in steps. Its quantum q is the energy of one count. Its update period
/// T is the time between two moments at which the device adds to it. A reading at time t shows the
/// energy until the last update, rounded down to whole counts, so it is too small by 0 to P T + q,
/// where P is the power at that time. The energy of a run is the difference of two readings. The
/// error of the first one is added, that of the last one is subtracted:
///
///   joules - (P T + q)  <=  energy used  <=  joules + (P T + q)
///
/// T: the documented period, or the longest time in which the counter was seen without a change,
/// whichever is longer. That time includes the interval before and the one after it, each with the
/// length of the shortest one at most: a device that answers late (the driver of a GPU, while a
/// program starts to use it) has not stood still. Without a documented period: at least the longest
/// time between two readings.
/// P: the highest power between two readings that showed a step, and at least (joules + q) / (t -
/// T), which is the highest constant power that can show `joules` in a run of t seconds. P T is not
/// more than the largest step, which is at most the largest growth between two readings, plus q.
/// For t <= T no upper bound exists.
///
/// An energy computed from readings of power has other errors: the power between two readings (it
/// is assumed to lie between the two values), the quantum q in W of each reading, and readings that
/// are up to T old:
///
///   joules +- (sum of w |p1 - p0| dt + q t + P T)
///
/// w is 1 if each interval counts with the power at its end (APAPI's SAMPLE1_MUL_DIFF_TIME), 1/2
/// for the trapezoid. P is the highest reading.
///
/// Where the growth of a counter is not known for a time (it began anew, or may have wrapped
/// unseen), the upper bound also contains the most that can have been used then; the sum and the
/// time do not.
///
/// The calibration error of the sensor, which vendors state in percent, is not included: it is the
/// same in all runs of a machine.
/// Sources: Intel, "Software Developer's Manual", volume 3B, 15.10 (units, updates about every
/// 1 ms); M. Haehnel, B. Doebel, M. Voelp, H. Haertig, "Measuring energy consumption for short code
/// paths using RAPL", SIGMETRICS Performance Evaluation Review 40(3), 2012 (the end of an update as
/// the source of the error).

namespace csink {

/// The resolution of an energy counter or a power sensor.
struct EnergySteps {
  double quantum = 0;         ///< J of a counter, W of a power sensor; >= 0
  double update_seconds = 0;  ///< The documented update period; 0: not known
};

/// An energy in J with its bounds, low <= joules <= high. `high` is infinite if nothing bounds it.
struct BoundedEnergy {
  double joules = 0;
  double low = 0;
  double high = 0;
};

/// The energy of a counter that accumulates. Threads: one at a time. No allocation.
class CounterEnergy {
 public:
  explicit CounterEnergy(const EnergySteps& steps) noexcept : steps_(steps) {}

  /// Adds the growth in J between two readings that are `seconds` apart. `is_full`: the interval is
  /// long enough for its power to be a candidate for P; intervals of few updates are not. Ignores
  /// values that are not finite, and intervals that are not longer than 0.
  void Add(double joules, double seconds, bool is_full) noexcept;
  /// The most in J that the sum may lack.
  void set_lacks(double joules) noexcept { lacks_ = joules; }
  double lacks() const noexcept { return lacks_; }
  BoundedEnergy Bounds() const noexcept;
  /// T, as used for the bounds.
  double UpdateSeconds() const noexcept;
  /// P T + q, as above, the error of any two readings; infinite for t <= T.
  double ReadingError() const noexcept;
  /// The other part of the error, which grows with time: none.
  double GrowingError() const noexcept { return 0; }
  double seconds() const noexcept { return seconds_; }  ///< From the first reading to the last
  std::uint64_t intervals() const noexcept { return intervals_; }

 private:
  /// The part of an interval beside a standstill that counts with it.
  double Beside(double seconds) const noexcept;

  EnergySteps steps_;
  double joules_ = 0, seconds_ = 0, highest_watts_ = 0, largest_growth_ = 0;
  double unchanged_ = 0, longest_unchanged_ = 0, longest_interval_ = 0;
  double lacks_ = 0;
  double before_unchanged_ = 0;  ///< The interval in which the counter last changed
  double shortest_full_ = 0;     ///< 0: none yet
  std::uint64_t intervals_ = 0;
};

/// The energy that is computed from readings of power. Threads: one at a time. No allocation.
class PowerEnergy {
 public:
  /// `weight`: w of the formula, 1 or 0.5.
  PowerEnergy(const EnergySteps& steps, double weight) noexcept : steps_(steps), weight_(weight) {}

  /// Adds an interval of `seconds` between the readings `before` and `now`, for which `joules` were
  /// computed. Ignores values that are not finite, and intervals that are not longer than 0.
  void Add(double joules, double before, double now, double seconds) noexcept;
  BoundedEnergy Bounds() const noexcept;
  double UpdateSeconds() const noexcept;
  /// P T, and the sum of w |p1 - p0| dt + q t.
  double ReadingError() const noexcept;
  double GrowingError() const noexcept { return variation_ + steps_.quantum * seconds_; }
  /// A sensor has no growth that could be lost.
  double lacks() const noexcept { return 0; }
  double seconds() const noexcept { return seconds_; }
  std::uint64_t intervals() const noexcept { return intervals_; }

 private:
  EnergySteps steps_;
  double weight_;
  double joules_ = 0, variation_ = 0, seconds_ = 0, highest_watts_ = 0, longest_interval_ = 0;
  std::uint64_t intervals_ = 0;
};

}  // namespace csink

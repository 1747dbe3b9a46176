#pragma once

#include <optional>

namespace csink {

/// The power of an energy counter that moves in steps, for minimum and maximum.
///
/// A reading shows the energy until the last step. If the counter is read as often as it moves, or
/// more often, an interval contains zero, one or two steps, and growth / time is a power that the
/// device never had. Therefore intervals are joined to windows. A window begins and ends with a
/// reading that showed a step. Such a reading comes later than its step: at most by the update
/// period, and at most by the interval before the reading. A window is complete when it is ten
/// times as long as the longer delay of its two readings. Its power is then wrong by 10 % at most.
///
/// Where the update period is not known, a counter that grew in all intervals so far, ten or more,
/// is taken to move much more often than it is read. A counter without a step for ten of its
/// longest times between two steps has a power of 0.
///
/// Threads: one at a time. No allocation.
class StepWindow {
 public:
  /// `shortest_ns`: no shorter window is complete. `update_ns`: the update period; 0: not known.
  StepWindow(long long shortest_ns, long long update_ns) noexcept
      : shortest_ns_(static_cast<long double>(shortest_ns)),
        update_ns_(static_cast<long double>(update_ns)) {}

  /// Adds the interval between two readings, in which the counter grew by `growth` (any unit), and
  /// that lasted `ns` > 0. Returns the mean growth in 1 ns of the window that it completes.
  std::optional<long double> Add(long double growth, long double ns) noexcept;

 private:
  /// By how much the step was over at the most when a reading showed it, `ns` after the previous
  /// reading.
  long double DelayOf(long double ns) const noexcept;
  /// The next window begins with the last reading, which had this delay.
  void Begin(long double delay_ns) noexcept;

  long double shortest_ns_, update_ns_;
  long double growth_ = 0, ns_ = 0;     ///< Of the window so far
  bool began_ = false;                  ///< A step was seen, so that delay_ns_ is known
  long double delay_ns_ = 0;            ///< Of that reading
  long double still_ns_ = 0;            ///< Since the last reading that showed a step
  long double longest_between_ns_ = 0;  ///< Between two such readings; 0: none yet
  bool stood_still_ = false;            ///< An interval without a step was seen
  int steps_seen_ = 0;                  ///< Intervals with a step, up to kFewSteps
};

}  // namespace csink

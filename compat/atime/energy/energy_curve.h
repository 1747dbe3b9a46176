#pragma once

#include <cstdint>
#include <vector>

#include "profil/statistics/energy_bounds.h"

namespace csink::atime {

/// The energy of one event over the time of a run. Threads: one at a time.
class EnergyCurve {
 public:
  /// Adds a sample at `time_ns`, later than the one before: the energy since the first sample, the
  /// part of its error that grows with time (GrowingError of CounterEnergy and PowerEnergy), and
  /// what it may lack (CounterEnergy::lacks).
  void Add(std::int64_t time_ns, double joules, double error, double lacks = 0) {
    points_.push_back({time_ns, joules, error, lacks});
  }
  /// The error of two readings, whenever they are made (ReadingError).
  void set_reading_error(double joules) noexcept { reading_error_ = joules; }

  /// The energy from `begin_ns` to `end_ns`. Between two samples the power is taken to be constant.
  /// The bounds do not assume that: the energy is at least what was used between the samples inside
  /// of this time, and at most what was used between the samples around it, both with the error of
  /// the readings. Before the first and after the last sample no energy is known.
  BoundedEnergy Between(std::int64_t begin_ns, std::int64_t end_ns) const noexcept;

 private:
  struct Point {
    std::int64_t time_ns;
    double joules, error, lacks;
  };
  std::vector<Point> points_;
  double reading_error_ = 0;
};

}  // namespace csink::atime

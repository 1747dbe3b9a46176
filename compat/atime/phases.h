#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compat/atime/energy/energy_curve.h"
#include "compat/atime/phase_marks.h"
#include "profil/statistics/energy_bounds.h"

namespace csink::atime {

/// What reports show in place of a name.
inline constexpr const char* kBeforeMarks = "(before the first mark)";

/// What a program used between its marks of one name and the next ones.
struct Phase {
  std::string name;         ///< "": before the first mark
  std::uint64_t marks = 0;  ///< How often the mark was set; 0: before the first one
  double seconds = 0;
  std::optional<BoundedEnergy> energy;  ///< nullopt: no energy was measured
};

/// The begin and the end of the program, CLOCK_MONOTONIC_RAW in ns.
struct RunSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
};

/// Divides a run into phases, in the order of their first marks; empty without marks. Each energy
/// is the sum of those of `curves` between two marks (EnergyCurve::Between).
std::vector<Phase> PhasesOf(std::span<const PhaseMark> marks, const RunSpan& run,
                            std::span<const EnergyCurve* const> curves);

/// The time now, on the clock of the marks.
std::int64_t RawClockNs() noexcept;

}  // namespace csink::atime

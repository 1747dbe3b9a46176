#include "compat/atime/phases.h"

#include <algorithm>
#include <ctime>

/// File: sums the stretches between marks by name. A phase may occur many times; its times,
/// energies and bounds are added up.

namespace csink::atime {
namespace {

/// The phase of this name, which is added if it is new.
Phase& Named(std::vector<Phase>& phases, const std::string& name, bool has_energy) {
  for (Phase& phase : phases) {
    if (phase.name == name) return phase;
  }
  phases.push_back({name, 0, 0, std::nullopt});
  if (has_energy) phases.back().energy.emplace();
  return phases.back();
}

/// Adds the time and the energy between two marks to a phase.
void AddStretch(Phase& phase, std::int64_t begin_ns, std::int64_t end_ns,
                std::span<const EnergyCurve* const> curves) {
  // Marks before the begin or behind the end of the run have no stretch.
  if (end_ns <= begin_ns) return;
  phase.seconds += static_cast<double>(end_ns - begin_ns) / 1e9;
  for (const EnergyCurve* curve : curves) {
    const BoundedEnergy energy = curve->Between(begin_ns, end_ns);
    phase.energy->joules += energy.joules;
    phase.energy->low += energy.low;
    phase.energy->high += energy.high;
  }
}

}  // namespace

std::vector<Phase> PhasesOf(std::span<const PhaseMark> marks, const RunSpan& run,
                            std::span<const EnergyCurve* const> curves) {
  std::vector<Phase> phases;
  if (marks.empty()) return phases;
  const bool has_energy = !curves.empty();
  // A program may end while a child of it still sets marks.
  const auto within = [&](std::int64_t ns) { return std::clamp(ns, run.begin_ns, run.end_ns); };
  AddStretch(Named(phases, "", has_energy), run.begin_ns, within(marks[0].time_ns), curves);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::int64_t end_ns = i + 1 < marks.size() ? within(marks[i + 1].time_ns) : run.end_ns;
    // The reference is valid until the next call of Named.
    Phase& phase = Named(phases, marks[i].name, has_energy);
    ++phase.marks;
    AddStretch(phase, within(marks[i].time_ns), end_ns, curves);
  }
  return phases;
}

std::int64_t RawClockNs() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace csink::atime

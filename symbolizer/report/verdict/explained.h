#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profil/model/profile.h"

/// File: how much of what an event counted its samples explain. For events that need a counter:
/// a clock is compared with the CPU time itself (verdict.h).
///
///   explained = (running - throttled) / due  x  sampled / (sampled + unsampled)
///
/// The first factor is the part of the CPU time in which the event counted: without a counter
/// (multiplexing, another tool) it does not run, and a throttled event stands still though it runs.
/// The second factor is the part of the counted events that samples stand for. The estimate takes
/// for granted that the event was as frequent while it was not counted as while it was.

namespace csink::report {

struct Explained {
  std::string event;             ///< Without privilege modifiers: "cycles"
  double share = 0;              ///< 0..1, the product above
  double running_part = 0;       ///< running / due: 1 unless it was multiplexed, or had no counter
  double throttled_part = 0;     ///< throttled / due
  double unsampled_part = 0;     ///< unsampled / (sampled + unsampled)
  std::uint64_t fitting_hz = 0;  ///< A rate that the kernel's limit allows; 0: it was not throttled
  bool has_fixed_period = false;
};

/// None for software events, where nothing is known (killed before the first drain, older files),
/// and below kLeastDueSeconds.
std::optional<Explained> Explain(const EventTotals& event);

/// The part of an event's counts that no sample speaks for, and that may lie anywhere in the
/// program: throttling stops a counter where the event is frequent. (Not so multiplexing, whose
/// turns have nothing to do with what the program does.)
double MissingPart(const EventTotals& event);

/// By what the weights of an event are multiplied to estimate all that happened: 1 / share, at most
/// kMostScale; 1 where nothing is known.
double ScaleOf(const EventTotals& event);

/// Less CPU time than this is not judged: the kernel tells the times of an event once a tick.
inline constexpr double kLeastDueSeconds = 0.02;
/// What explains less than a thousandth is no base for an estimate.
inline constexpr double kMostScale = 1000;

}  // namespace csink::report

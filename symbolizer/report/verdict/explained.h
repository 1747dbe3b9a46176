#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: which part of an event's occurrences the samples represent. For events that need a
/// counter; a clock is compared with the CPU time itself (verdict.h).
///
///   explained = (running - throttled) / due  x  sampled / (sampled + unsampled)
///
/// The first factor is the part of the CPU time in which the event was counted. Without a hardware
/// counter (multiplexing, another tool) an event does not run, and a throttled event does not count
/// although it runs. The second factor is the part of the counted events that samples represent.
/// The estimate assumes that the event was as frequent while it was not counted as while it was.

namespace csink::report {

/// How much of one event the samples explain, and what the rest was lost to. Parts are 0..1.
struct Explained {
  /// The event's name without privilege modifiers, for example "cycles".
  std::string event;
  /// The product above.
  double share = 0;
  /// running / due. 1 unless the event was multiplexed or had no counter; 0 if it never counted.
  double running_part = 0;
  /// throttled / due.
  double throttled_part = 0;
  /// unsampled / (sampled + unsampled): events that were counted and are in no sample.
  double unsampled_part = 0;
  /// A sampling rate, in samples a second, that is half of the kernel's limit
  /// (kernel.perf_event_max_sample_rate). 0 if the event was not throttled.
  std::uint64_t fitting_hz = 0;
  /// The event was sampled with a period, not with a frequency.
  bool has_fixed_period = false;
};

/// Computes the product for one event. nullopt for software events, if nothing is known (killed
/// before the first drain, older files), and below kLeastDueSeconds. Cycles and instructions that
/// counted nothing have the share 0, because every running program has some.
std::optional<Explained> Explain(const EventTotals& event);

/// The part of an event's counts, 0..1, that no sample represents and that may belong to any
/// function: throttling stops a counter just where the event is frequent. Multiplexing is not
/// included, because its time slices do not depend on what the program does. 0 if nothing is known.
double MissingPart(const EventTotals& event);

/// The factor from sampled weights to the estimated total: 1 / share, at most kMostScale; 1 if
/// nothing is known.
double ScaleOf(const EventTotals& event);

/// With less CPU time, in seconds, an event is not judged: the kernel updates an event's times once
/// per tick.
inline constexpr double kLeastDueSeconds = 0.02;
/// Largest factor of ScaleOf. Less than a thousandth of an event is no basis for an estimate.
inline constexpr double kMostScale = 1000;

}  // namespace csink::report

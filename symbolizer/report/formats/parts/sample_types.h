#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: the names of values in pprof and OTLP, and the scale of values that readers could not add
/// up.

namespace csink::report {

/// The type of an event's weights: "cpu" for the first clock of `events`, as in pprof's own CPU
/// profiles; else the event's name, such as "cycles:u". `events` are indices into Profile::events,
/// and `event` is one of them.
std::string WeightType(const Profile& profile, const std::vector<std::size_t>& events,
                       std::size_t event);

/// The type of an event's numbers of samples: "samples", or of several events "cycles:u_samples".
std::string SamplesType(const Profile& profile, const std::vector<std::size_t>& events,
                        std::size_t event);

/// The unit of an event's weights: "nanoseconds" for a clock, else "count".
std::string WeightUnit(const Profile& profile, std::size_t event);

/// By how many bits the event's values are shifted right so that their sum over all places fits
/// into 63 bits. `value` is EventCount::samples or EventCount::weight.
unsigned ShiftOf(const Profile& profile, std::size_t event, std::uint64_t EventCount::*value);

}  // namespace csink::report

#pragma once

#include <cstdint>

#include "agent/meter/meter_table.h"

namespace csink::agent {

/// The reading from which the next one's growth is computed.
struct MeterBefore {
  double value = 0;
  std::uint64_t ns = 0;  ///< Time of the reading; 0: none (at the start and after a pause)
};

/// Adds the reading `now` of a counter, made at `now_ns` (CLOCK_MONOTONIC), to its value in the
/// table: growth, or least and greatest value and the integral over time, by the flags of `value`.
/// `before` is the reading before it. False: the reading is impossible (not a number, or a counter
/// that accumulates has stepped back) and is counted as a failed one only.
bool AddReading(MeterValue& value, const MeterBefore& before, double now, std::uint64_t now_ns);

/// Adds a reading, made at `now_ns`, of a counter that began anew: what it grew by since the last
/// reading is not known, so neither growth nor time is added.
void AddBeginning(MeterValue& value, std::uint64_t now_ns);

/// Counts a reading that failed.
void AddFailure(MeterValue& value);

}  // namespace csink::agent

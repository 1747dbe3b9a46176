#pragma once

#include <papi.h>

#include <span>
#include <vector>

namespace csink::utils {

/// The operation on an event set that is measured. kNothing measures the loop itself: what reading
/// the clock twice costs.
enum class Operation { kNothing, kStartStop, kRead, kReadTs, kAccum, kReset };

/// Runs `operation` costs.size() times and stores the cost of each in cycles of PAPI_get_real_cyc.
/// `set` is stopped before and afterwards (PAPI_NULL with kNothing); `values` has an element for
/// each of its events. PAPI_OK, or the code of a call that failed; the costs are then worth
/// nothing.
int MeasureOperation(Operation operation, int set, std::span<long long> values,
                     std::span<long long> costs);

/// True if the costs include the reading of the clock.
constexpr bool HasClockInside(Operation operation) { return operation != Operation::kReadTs; }

/// Cycles of PAPI_get_real_cyc per nanosecond of PAPI_get_real_nsec, measured over 20 ms of
/// waiting. 0: a clock does not move. The rate of the clock, not of the core.
double CyclesPerNs();

}  // namespace csink::utils

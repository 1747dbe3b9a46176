#pragma once

#include <papi.h>

#include <span>
#include <vector>

namespace csink::utils {

/// What is done with an event set.
enum class Operation { kNothing, kStartStop, kRead, kReadTs, kAccum, kReset };

/// Measures `operation` costs.size() times, each in cycles of PAPI_get_real_cyc. `set` is stopped
/// before and after; `values` has room for its events. PAPI_OK or the code of what failed.
int MeasureOperation(Operation operation, int set, std::span<long long> values,
                     std::span<long long> costs);

/// Whether the costs contain what reading the clock costs.
constexpr bool HasClockInside(Operation operation) { return operation != Operation::kReadTs; }

}  // namespace csink::utils

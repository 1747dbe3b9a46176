#pragma once

namespace csink::utils {

/// Cycles of PAPI_get_real_cyc per nanosecond of PAPI_get_real_nsec, measured over 20 ms of
/// waiting. 0: a clock does not move. The rate of the clock, not of the core.
double CyclesPerNs();

}  // namespace csink::utils

#pragma once

namespace csink::utils {

/// Cycles of PAPI_get_real_cyc per nanosecond of PAPI_get_real_nsec, measured over 20 ms. 0: a
/// clock does not move.
double CyclesPerNs();

}  // namespace csink::utils

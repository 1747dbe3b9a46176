#pragma once

namespace csink::utils {

/// How many of PAPI_get_real_cyc()'s cycles make a nanosecond of PAPI_get_real_nsec(), found by
/// letting both run for 20 ms. 0: one of them stands still.
double CyclesPerNs();

}  // namespace csink::utils

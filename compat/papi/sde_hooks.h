#pragma once

#include <cstdint>

/// File: functions that libsde calls in libpapi. libsde.so.1 looks them up by name when a library
/// calls papi_sde_init; libsde.a takes them from the two pointers. Source of names and arguments:
/// Debian's libsde1 and libsde.a 7.0.0, found by nm and by tracing the calls.
/// Threads: any. Signals: as safe as libsde and the program's overflow handler are.

#pragma GCC visibility push(default)
extern "C" {

/// Called by libsde when a created counter (papi_sde_create_counter) has changed to `latest`, in
/// the thread that counts. libsde 7.0.0 holds its lock during the call.
void papi_sde_check_overflow_status(std::uint32_t number, long long latest);

/// Called by libsde when an event with an overflow threshold is registered as a variable of the
/// library. Returns 0.
int papi_sde_set_timer_for_overflow(void);

/// The same functions for libsde.a, which calls them through these pointers. Initialised
/// statically.
extern void (*papi_sde_check_overflow_status_ptr)(std::uint32_t, long long);
extern int (*papi_sde_set_timer_for_overflow_ptr)(void);
}
#pragma GCC visibility pop

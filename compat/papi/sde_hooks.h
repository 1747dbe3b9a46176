#pragma once

#include <cstdint>

/// File: what libsde calls in a libpapi. libsde.so.1 looks both functions up by name whenever a
/// library calls papi_sde_init; libsde.a takes them from the two pointers. Names and arguments are
/// facts of Debian's libsde1 and libsde.a 7.0.0, found by nm and by watching the calls.
/// Threads: any. Signals: as safe as libsde and the program's overflow handler are.

#pragma GCC visibility push(default)
extern "C" {

/// A created counter (papi_sde_create_counter) has been changed to `latest`, in the thread that
/// counts. libsde 7.0.0 holds its lock meanwhile.
void papi_sde_check_overflow_status(std::uint32_t number, long long latest);

/// An event that was set to overflow before it was registered is now a variable of the library's.
/// Answers 0.
int papi_sde_set_timer_for_overflow(void);

extern void (*papi_sde_check_overflow_status_ptr)(std::uint32_t, long long);
extern int (*papi_sde_set_timer_for_overflow_ptr)(void);
}
#pragma GCC visibility pop

#pragma once

#include "compat/papi/include/papi.h"

namespace csink::papi {

/// File: start and end of the library, and fork: the functions that change all parts at once.
///
/// Starting costs nothing: components are probed, libpfm4 is opened and preset files are read by
/// the first call that needs them.
///
/// A forked child keeps its event sets, stopped and with their events. Counters and mappings count
/// the parent, so they are dropped and opened anew at the next start. PAPI_library_init in the
/// child clears everything, as PAPI's does.
/// Threads: any. Signals: not safe.

/// Starts the library. `level` is added to the bits of PAPI_is_initialized. PAPI_OK; PAPI_ENOMEM;
/// PAPI_EMISC: called in a handler that interrupted the library.
int StartUp(int level = PAPI_LOW_LEVEL_INITED) noexcept;

/// PAPI_shutdown: destroys all sets and restores all defaults. Does nothing in a handler that
/// interrupted the library. Other threads may be in calls that take no lock: what they may be
/// reading stays in memory (Retire in boundary/library_state.h).
void ShutDown() noexcept;

}  // namespace csink::papi

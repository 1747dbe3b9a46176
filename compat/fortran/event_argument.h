#pragma once

#include "compat/fortran/text.h"

namespace csink::fortran {

/// The event argument of the rate calls, in any of the three ways in which programs pass it: an
/// INTEGER by reference, as all other arguments of this interface; the code by value (%VAL), which
/// PAPI 7.0's library takes; the event's name, which PAPI 7.0's man pages document. `length` is
/// used for a name alone. PAPI_NULL: the argument is none of them.
/// Threads: any. Signals: not safe.
int EventOf(const void* argument, HiddenLength length) noexcept;

}  // namespace csink::fortran

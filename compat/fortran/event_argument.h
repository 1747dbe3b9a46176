#pragma once

#include "compat/fortran/text.h"

namespace csink::fortran {

/// The event that a rate is asked of, in any of the three ways in which programs pass it: an
/// INTEGER by reference, as every argument of this interface; its value (%VAL), which is what
/// PAPI 7.0's own library takes; its name, which is what PAPI 7.0's man pages say. `length` counts
/// for a name alone. PAPI_NULL where it is none of them. Threads: any. Signals: not safe.
int EventOf(const void* argument, HiddenLength length) noexcept;

}  // namespace csink::fortran

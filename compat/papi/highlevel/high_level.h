#pragma once

#include "compat/papi/thread_context.h"

/// File: functions that the parts of the high level share with each other and with the library.

namespace csink::papi {

/// Starts the library if it is not started: the high level needs no PAPI_library_init. `level`:
/// what PAPI_is_initialized returns afterwards. Errors: as PAPI_library_init.
int StartLibrary(int level) noexcept;

/// Makes PAPI_is_initialized return PAPI_HIGH_LEVEL_INITED after a successful call of 3.5's high
/// level.
void SayHighLevel() noexcept;

/// Gives threads numbers when a rate or a region of 7.0 begins: the kernel's, unless
/// PAPI_thread_init set a function.
void NumberThreads() noexcept;

/// Called when the thread of `context` ends: destroys its event sets. The values of its regions
/// stay for the report. The caller must not hold the library's lock.
void DropHighLevel(ThreadContext& context) noexcept;

}  // namespace csink::papi

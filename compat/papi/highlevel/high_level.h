#pragma once

#include "compat/papi/thread_context.h"

/// File: what the parts of the high level share with each other and with the library.

namespace csink::papi {

/// The high level starts the library by itself. `level`: what PAPI_is_initialized says then;
/// nothing changes if the library has started before. Fails as PAPI_library_init.
int StartLibrary(int level) noexcept;

/// A call of 3.5's high level went well: PAPI_is_initialized says PAPI_HIGH_LEVEL_INITED.
void SayHighLevel() noexcept;

/// A rate or a region of 7.0 has begun: threads have numbers, the kernel's unless PAPI_thread_init
/// gave others.
void NumberThreads() noexcept;

/// The thread of `context` ends: its sets go. What its regions measured stays for the report. Not
/// under the library's lock.
void DropHighLevel(ThreadContext& context) noexcept;

}  // namespace csink::papi

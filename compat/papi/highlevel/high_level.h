#pragma once

#include <string_view>

#include "compat/papi/threads/thread_context.h"

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

/// The ThreadContext::leave_high_level of every thread with `counters` or `regions`: destroys its
/// event sets. The values of its regions stay for the report.
void DropHighLevel(ThreadContext& context) noexcept;

/// Prints a warning of the high level on stderr, as one line in the form of all warnings of the
/// library (core/util/raw_log.h).
/// Threads: any. Signals: not safe.
void SayWarning(std::string_view text);
/// Prints "csink: info: TEXT" on stderr; used with PAPI_HL_VERBOSE, so no level of the log hides
/// it.
void SayInfo(std::string_view text);

}  // namespace csink::papi

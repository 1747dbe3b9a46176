#pragma once

#include <string_view>

namespace csink::papi {

/// The last failure of the calling thread, for PAPI_perror. Every entry point that fails passes
/// its code through here:  return Failed(PAPI_EINVAL);
/// Threads: each has its own, so that another thread's failure is never printed for ours.
/// Signals: safe.

/// Remembers `code` if it is a failure (negative), and gives it back.
int Failed(int code) noexcept;

/// PAPI_OK while nothing failed.
int LastFailure() noexcept;

/// The sentence of a thread that has no ThreadContext yet: its first call may fail before it gets
/// one (PAPI_library_init of another version). Cut to what a thread's static storage can spare.
void SayWithoutContext(std::string_view sentence) noexcept;
std::string_view SaidWithoutContext() noexcept;

}  // namespace csink::papi

#pragma once

namespace csink::papi {

/// The last failure of the calling thread, for PAPI_perror. Every entry point that fails passes
/// its code through here:  return Failed(PAPI_EINVAL);
/// Threads: each has its own, so that another thread's failure is never printed for ours.
/// Signals: safe.

/// Remembers `code` if it is a failure (negative), and gives it back.
int Failed(int code) noexcept;

/// PAPI_OK while nothing failed.
int LastFailure() noexcept;

}  // namespace csink::papi

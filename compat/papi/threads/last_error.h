#pragma once

#include <string_view>

namespace csink::papi {

/// The last failure of the calling thread, for PAPI_perror. Every entry point that fails passes its
/// code through Failed:  return Failed(PAPI_EINVAL);
/// Threads: each thread has its own, so PAPI_perror never prints another thread's failure.
/// Signals: safe.

/// Remembers `code` if it is a failure (negative), and gives it back.
int Failed(int code) noexcept;

/// The code of the calling thread's last failed call, which later successes do not clear; PAPI_OK:
/// nothing has failed on this thread.
int LastFailure() noexcept;

/// Stores the message of a thread that has no ThreadContext: its first call may fail before it gets
/// one (PAPI_library_init with another version). Cut to 120 bytes. ThreadList moves the message
/// into the context when the thread gets one.
void SayWithoutContext(std::string_view sentence) noexcept;
/// The message that was stored so; empty: none. Valid until the thread's next SayWithoutContext.
std::string_view SaidWithoutContext() noexcept;

}  // namespace csink::papi

#pragma once

#include <string_view>

#include "compat/papi/include/papi.h"
#include "core/events/event_spec.h"
#include "core/util/result.h"

/// File: what the library says about a failure besides its code. Each thread has one sentence
/// about its last mistake; the debug handler prints it (PAPI_set_debug), and so does PAPI_perror.

namespace csink::papi {

/// The message buffer of the calling thread, for code that composes a message in pieces. Not to be
/// called in a signal handler: it may allocate the thread's context.
EventComplaint& Complaint() noexcept;

/// The message about the calling thread's last failure; empty: none. Valid until the next call into
/// the library.
/// Signals: safe, as the next three functions.
std::string_view LastSentence() noexcept;

/// Clears the message at the beginning of a call.
void ForgetSentence() noexcept;

/// Stores `sentence` as the message (cut to the buffer's size) and returns `code`. An empty
/// sentence clears the message.
int Complain(int code, std::string_view sentence) noexcept;

/// Converts `error` to a PAPI code. Its text becomes the message unless there is a message already.
/// Sets errno if the error has one.
int Complain(const Error& error) noexcept;

/// Stores a failure for PAPI_perror and calls the debug handler. Returns the handler's answer,
/// which the C function returns. `code` must be negative. Signals: as safe as the debug handler;
/// ours is, except for PAPI_ESYS (strerror) and for the level PAPI_VERB_ESTOP (exit).
int Report(int code) noexcept;

/// Prints "PAPI Error: sentence" on stderr unless the debug level is PAPI_QUIET. For problems that
/// do not make the call fail, such as a bad line of a preset file. Cut to 1 KiB. Signals: safe.
void SayAside(std::string_view sentence) noexcept;

/// PAPI_QUIET, PAPI_VERB_ECONT or PAPI_VERB_ESTOP. The level and the handler are those of the
/// process; any thread may change them.
int DebugLevel() noexcept;
/// Sets the level. False: there is no such level.
bool SetDebugLevel(int level) noexcept;
/// The handler of the process; never nullptr.
PAPI_debug_handler_t DebugHandler() noexcept;
/// Sets the handler; nullptr: the default handler.
void SetDebugHandler(PAPI_debug_handler_t handler) noexcept;

}  // namespace csink::papi

#pragma once

#include <string_view>

#include "compat/papi/include/papi.h"
#include "core/events/event_spec.h"
#include "core/util/result.h"

/// File: what the library says about a failure besides its code. Each thread has one sentence
/// about its last mistake; the debug handler prints it (PAPI_set_debug), and so does PAPI_perror.

namespace csink::papi {

/// The sentence of the calling thread, to be written over.
EventComplaint& Complaint() noexcept;

/// What there is to say about the last failure of the calling thread; empty: nothing. Until the
/// next call. Signals: safe, as the next three.
std::string_view LastSentence() noexcept;

/// A call begins: what was wrong with the one before is over.
void ForgetSentence() noexcept;

/// Keeps `sentence` as the reason and gives `code` back.
int Complain(int code, std::string_view sentence) noexcept;

/// The PAPI code of `error`; its own words are the sentence unless there is one already.
int Complain(const Error& error) noexcept;

/// Remembers a failure for PAPI_perror and hands it to the debug handler, whose answer is the
/// caller's.
int Report(int code) noexcept;

/// Prints "PAPI Error: sentence" unless the level is PAPI_QUIET: what was wrong without making the
/// call fail, such as a line of a preset file.
void SayAside(std::string_view sentence) noexcept;

int DebugLevel() noexcept;
/// False: no such level.
bool SetDebugLevel(int level) noexcept;
PAPI_debug_handler_t DebugHandler() noexcept;
/// nullptr: ours.
void SetDebugHandler(PAPI_debug_handler_t handler) noexcept;

}  // namespace csink::papi

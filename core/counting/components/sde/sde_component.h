#pragma once

#include <cstdint>
#include <memory>

#include "core/counting/components/component.h"
#include "core/counting/components/sde/sde_library.h"

/// File: the component sde, and the calls that libsde makes into libpapi
/// (docs/design/components.md). compat/papi exports the latter under PAPI's names.

namespace csink::sde {

/// Software defined events: counters that libraries and programs register with libsde, named
/// "sde:::LIBRARY::EVENT". They need no privilege. libsde is looked for only when events of this
/// component are asked for; events may appear and disappear while the program runs.
///
/// A name of this form always exists, because a library may register it later; an event's number is
/// libsde's + 1. Overflows are reported (libsde counts itself) or polled by the thread's tick (a
/// variable of the program); events of other kinds cannot overflow.
/// `find`: finds libsde's functions; tests pass another.
std::unique_ptr<Component> MakeSdeComponent(const Functions* (*find)() noexcept = Find);

/// Called by libsde when it has counted `number` to `latest`, in the thread that counts
/// (papi_sde_check_overflow_status). Calls overflow handlers. Calls nothing of libsde, which may
/// hold its lock, except for counters beyond the table of sde_words.cpp. Costs a store while no set
/// with an overflow runs, 14 ns where no handler is due, 0.6 us where one is.
/// Threads: any. Signals: as safe as libsde and the handler are.
void Counted(std::uint32_t number, long long latest) noexcept;

/// Must be called when a set's counter `number` was reset: notes the value of libsde's reports at
/// which the set's count is zero. Reads the counter if libsde has reported it before. Must not be
/// called inside Counted.
void CountingBegan(const Functions& functions, std::uint32_t number) noexcept;

/// Stores the value that a set shows for a created counter, without a call of libsde: later
/// versions hold a lock during their report that their reads take, too. For overflow handlers that
/// Counted has called. Returns false if the caller is not in such a handler, or libsde has not
/// reported the counter yet. Signals: safe.
bool ShownInHandler(std::uint32_t number, long long* shown) noexcept;

/// Called by libsde when an event that was to overflow before it existed is registered as a
/// variable, whose changes libsde does not report (papi_sde_set_timer_for_overflow). The timer of
/// its set polls the event from the start on, so this call is not needed for that (libsde 7.0.0
/// never makes it); here it polls at once, for the sets of the calling thread.
void LookAtVariables() noexcept;

}  // namespace csink::sde

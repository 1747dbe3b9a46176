#pragma once

#include <cstdint>
#include <memory>

#include "core/components/component.h"
#include "core/components/sde/sde_library.h"

namespace csink::sde {

/// Software defined events: counters that libraries and programs register with libsde, named
/// "sde:::LIBRARY::EVENT". They need no privilege. libsde is looked for whenever somebody asks for
/// events of this component, and only then; events come and go while the program runs.
///
/// A name of that form always exists: it may be of a library that registers it later.
/// `find`: tests put a libsde of their own there.
std::unique_ptr<Component> MakeSdeComponent(const Functions* (*find)() noexcept = Find);

/// libsde's word that it has counted `number` to `latest`, in the thread that counts
/// (papi_sde_check_overflow_status): calls overflow handlers. Calls nothing of libsde, which may
/// hold its lock. Costs a store while no set with an overflow runs. Signals: safe as far as libsde
/// and the handler are.
void Counted(std::uint32_t number, long long latest) noexcept;

/// A set's counter `number` was reset: notes from where libsde's reports count for it. Not in
/// Counted.
void CountingBegan(const Functions& functions, std::uint32_t number) noexcept;

/// In an overflow handler that Counted has called: what a set shows of a created counter, without
/// libsde, whose later versions hold a lock there that their reads take. False: not in such a
/// handler, or libsde has not reported the counter yet. Signals: safe.
bool ShownInHandler(std::uint32_t number, long long* shown) noexcept;

/// libsde's word that an event which was to overflow before it existed is now a variable that
/// changes without a word (papi_sde_set_timer_for_overflow). The timer of its set looks at it from
/// the start on, so that this need not be waited for (libsde 7.0.0 never says it); here it is done
/// at once, for the sets of the calling thread.
void LookAtVariables() noexcept;

}  // namespace csink::sde

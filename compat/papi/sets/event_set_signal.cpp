#include <cstdint>

#include "compat/papi/sets/event_set.h"

/// File: the code that runs between an overflow signal of the kernel and the program's handler.
/// Signal-safe: no lock, no memory.

namespace csink::papi {

// Each armed event has one bit. A vector of one of the profiled events never reaches the program's
// handler, even where the sampler has gone.
bool EventSet::GivesToSampler(const OverflowHit& hit) const noexcept {
  if (overflows_.armed.handled == 0) return false;
  for (const SetEvent& event : events_.all()) {
    if (event.profiled_every == 0 || hit.vector != std::uint64_t{1} << event.counters[0]) continue;
    if (sampler_) sampler_->OnHit(event.code, hit);
    return true;
  }
  return false;
}

void CallOverflowHandler(void* owner, const OverflowHit& hit) noexcept {
  auto* set = static_cast<EventSet*>(owner);
  if (set->GivesToSampler(hit)) return;
  // Before the call: the handler may ask for it (csink_papi_overflow_info).
  set->set_missed(hit.missed);
  set->handler()(set->handle(), hit.pc, static_cast<long long>(hit.vector), hit.context);
}

}  // namespace csink::papi

#include <array>
#include <atomic>

#include "compat/papi/event_set.h"

/// File: the code that runs between an overflow signal of the kernel and the program's handler.
/// Signal-safe: no lock, no memory.

namespace csink::papi {
namespace {
// Read in handlers, where PAPI_get_hardware_info cannot be called. 0: not known yet.
std::atomic<double> g_cycles_per_second{0};
}  // namespace

FormulaContext ClockOfFormulas() noexcept {
  return {g_cycles_per_second.load(std::memory_order_relaxed)};
}

void SetClockOfFormulas(double hz) noexcept {
  g_cycles_per_second.store(hz, std::memory_order_relaxed);
}

// `counts` are those of the set's counters. A formula that is just its first native needs no
// evaluation.
long long ValueOfEvent(const void* event, const long long* counts) noexcept {
  const auto& set_event = *static_cast<const SetEvent*>(event);
  if (!set_event.definition || set_event.definition->formula.IsFirstNative()) {
    return counts[set_event.counters[0]];
  }
  std::array<long long, kMaxFormulaNatives> natives;
  for (std::size_t i = 0; i < set_event.count; ++i) natives[i] = counts[set_event.counters[i]];
  return set_event.definition->formula.Evaluate({natives.data(), set_event.count},
                                                ClockOfFormulas());
}

// Each armed event has one bit. A vector of one of the profiled events never reaches the program's
// handler, even where the sampler has gone.
bool EventSet::GivesToSampler(const OverflowHit& hit) const noexcept {
  if (handled_ == 0) return false;
  for (const SetEvent& event : events_) {
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

#include <array>
#include <atomic>

#include "compat/papi/sets/set_events.h"

/// File: values of derived events, which reads and overflow signals compute. Signal-safe: no lock,
/// no memory.

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
  if (!set_event.derived()) return counts[set_event.counters[0]];
  std::array<long long, kMaxFormulaNatives> natives;
  for (std::size_t i = 0; i < set_event.count; ++i) natives[i] = counts[set_event.counters[i]];
  return set_event.definition->formula.Evaluate({natives.data(), set_event.count},
                                                ClockOfFormulas());
}

}  // namespace csink::papi

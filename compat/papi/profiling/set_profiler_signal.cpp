#include "compat/papi/profiling/set_profiler.h"

/// File: what the profiler does in signal handlers: the tick, hits of the set's overflow handler,
/// and hits of the software timer.

namespace csink::papi {

void SetProfiler::Tick(void* self, std::uint64_t, void*) noexcept {
  static_cast<SetProfiler*>(self)->rings_.Drain();
}

/// Adds one hit for each multiple of the threshold, as a ring would have one sample for each.
/// Multiples without a signal of their own are added at this address: they occurred at it or
/// shortly before.
void SetProfiler::OnHit(int event_code, const OverflowHit& hit) noexcept {
  // Limits the time in the handler: after a long throttle there may be any number of multiples.
  constexpr std::uint64_t kMostAtOnce = 4096;
  for (ProfiledEvent& event : events_) {
    if (event.event_code != event_code) continue;
    const std::uint64_t missed = hit.missed < kMostAtOnce ? hit.missed : kMostAtOnce;
    for (std::uint64_t i = 0; i <= missed; ++i) {
      event.histogram->AddHit(reinterpret_cast<std::uintptr_t>(hit.pc), 1);
    }
  }
}

/// A hit of the software timer. Bit i of the vector is the i-th profiled event. One hit whose
/// weight is the number of multiples: the timer may pass many between two ticks.
void SetProfiler::OnOverflow(void* self, const OverflowHit& hit) noexcept {
  auto& events = static_cast<SetProfiler*>(self)->events_;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (hit.vector >> i & 1) {
      events[i].histogram->AddHit(reinterpret_cast<std::uintptr_t>(hit.pc), 1 + hit.missed);
    }
  }
}

}  // namespace csink::papi

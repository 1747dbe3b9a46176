#include "compat/papi/set_profiler.h"

namespace csink::papi {

void SetProfiler::Tick(void* self, std::uint64_t, void*) noexcept {
  static_cast<SetProfiler*>(self)->rings_.Drain();
}

/// Each multiple of the threshold is a hit, as each would be a sample in a ring. What passed
/// without a call of its own fell due at this address or shortly before.
void SetProfiler::OnHit(int event_code, const OverflowHit& hit) noexcept {
  // A program that is throttled for long may have any number of them.
  constexpr std::uint64_t kMostAtOnce = 4096;
  for (ProfiledEvent& event : events_) {
    if (event.event_code != event_code) continue;
    const std::uint64_t missed = hit.missed < kMostAtOnce ? hit.missed : kMostAtOnce;
    for (std::uint64_t i = 0; i <= missed; ++i) {
      event.histogram->AddHit(reinterpret_cast<std::uintptr_t>(hit.pc), 1);
    }
  }
}

/// Bit i of the vector is the i-th profiled event.
void SetProfiler::OnOverflow(void* self, const OverflowHit& hit) noexcept {
  auto& events = static_cast<SetProfiler*>(self)->events_;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (hit.vector >> i & 1) {
      events[i].histogram->AddHit(reinterpret_cast<std::uintptr_t>(hit.pc), 1 + hit.missed);
    }
  }
}

}  // namespace csink::papi

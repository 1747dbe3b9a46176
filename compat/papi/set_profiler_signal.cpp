#include "compat/papi/set_profiler.h"

namespace csink::papi {

void SetProfiler::Tick(void* self, std::uint64_t, void*) noexcept {
  static_cast<SetProfiler*>(self)->rings_.Drain();
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

#pragma once

#include <cstdint>

namespace csink {

/// getrusage(RUSAGE_SELF) in ns; `switches`: how often its threads left a CPU, by themselves or
/// not. Signals: safe.
void ProcessCpuNs(std::uint64_t* user_ns, std::uint64_t* system_ns,
                  std::uint64_t* switches = nullptr) noexcept;
/// CLOCK_MONOTONIC in ns. Signals: safe.
std::uint64_t MonotonicNs() noexcept;
/// CLOCK_REALTIME in ns. Signals: safe.
std::uint64_t RealtimeNs() noexcept;

}  // namespace csink

#pragma once

#include <cstdint>

namespace csink {

/// CPU time of the process in ns, in user and kernel mode (getrusage(RUSAGE_SELF)). `switches`:
/// context switches of its threads, voluntary and involuntary; may be null. Signals: safe.
void ProcessCpuNs(std::uint64_t* user_ns, std::uint64_t* system_ns,
                  std::uint64_t* switches = nullptr) noexcept;
/// CLOCK_MONOTONIC in ns; 0 where the call fails. Signals: safe.
std::uint64_t MonotonicNs() noexcept;
/// CLOCK_REALTIME in ns since 1970; 0 where the call fails. Signals: safe.
std::uint64_t RealtimeNs() noexcept;

}  // namespace csink

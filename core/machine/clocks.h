#pragma once

#include <cstdint>

namespace csink {

/// CPU time of the process in ns, in user and kernel mode, of all its threads including those that
/// ended (getrusage(RUSAGE_SELF)). The call gives microseconds. `switches`: context switches of its
/// threads, voluntary and involuntary, since the start of the process; may be null. Children are
/// not included. A call that fails stores zeros.
/// Threads: any. Signals: safe.
void ProcessCpuNs(std::uint64_t* user_ns, std::uint64_t* system_ns,
                  std::uint64_t* switches = nullptr) noexcept;
/// CLOCK_MONOTONIC in ns; 0 where the call fails. A system call; the vDSO is not used. Threads:
/// any. Signals: safe.
std::uint64_t MonotonicNs() noexcept;
/// CLOCK_REALTIME in ns since 1970; 0 where the call fails. The clock may be set back. Signals:
/// safe.
std::uint64_t RealtimeNs() noexcept;
/// CLOCK_BOOTTIME in ns: since boot, with the time in suspend; a time namespace shifts it as it
/// shifts the start times in /proc. 0 where the call fails. Signals: safe.
std::uint64_t BootNs() noexcept;

/// CPU time of the calling thread in ns, in user and kernel mode; 0 where the call fails. A system
/// call: the vDSO has no CPU clocks. Threads: any. Signals: safe.
std::uint64_t ThreadCpuNs() noexcept;

}  // namespace csink

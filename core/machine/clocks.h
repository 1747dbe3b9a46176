#pragma once

#include <cstdint>
#include <string_view>

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
/// Lets MonotonicNs give the machine's clock from now on, also where a time namespace
/// (time_namespaces(7)) shifts the process's: the times of other processes and of the kernel's
/// samples are then comparable. What is not to be compared needs no call. One system call; in such
/// a namespace three more. Call it again in a forked child. Threads: one. Signals: safe.
void LearnTimeNamespace() noexcept;
/// The shift of CLOCK_MONOTONIC in ns from the text of /proc/self/timens_offsets; 0: not found. For
/// tests.
std::int64_t ParseMonotonicShift(std::string_view text) noexcept;
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

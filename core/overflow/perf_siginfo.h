#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// File: what a SIGTRAP of perf_event_attr.sigtrap carries. glibc 2.36 does not know it yet; the
/// layout is the kernel's (include/uapi/asm-generic/siginfo.h, `_sigfault._perf`), 64 bits.

namespace csink {

inline constexpr int kTrapPerf = 6;  ///< si_code TRAP_PERF

/// perf_event_attr.sig_data of the event. Signals: safe.
inline std::uint64_t PerfSigData(const siginfo_t& info) noexcept {
  constexpr std::size_t kData = 24;
  std::uint64_t data = 0;
  std::memcpy(&data, reinterpret_cast<const char*>(&info) + kData, sizeof data);
  return data;
}

}  // namespace csink

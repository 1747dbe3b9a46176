#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

/// File: the data of a SIGTRAP of perf_event_attr.sigtrap. glibc 2.36 does not define it; the
/// layout is the kernel's on 64-bit machines (include/uapi/asm-generic/siginfo.h,
/// `_sigfault._perf`).

namespace csink {

inline constexpr int kTrapPerf = 6;  ///< si_code TRAP_PERF

/// Returns perf_event_attr.sig_data of the event that raised the signal. Signals: safe.
inline std::uint64_t PerfSigData(const siginfo_t& info) noexcept {
  constexpr std::size_t kData = 24;
  std::uint64_t data = 0;
  std::memcpy(&data, reinterpret_cast<const char*>(&info) + kData, sizeof data);
  return data;
}

}  // namespace csink

#pragma once

#include <cstdint>

/// File: the clocks with which programs measure themselves. The first call chooses the source (a
/// few microseconds); later calls take a few nanoseconds without a system call, except ThreadNs,
/// since only the kernel knows CPU time.
///
/// Threads: any. Signals: safe, except for HostMhz and the first call of RealCycles (files, heap).

namespace csink {

/// CLOCK_MONOTONIC in ns, through the vdso. Stands still while the machine is suspended.
std::uint64_t RealNs() noexcept;

/// Cycles of a constant clock since some starting point. On x86 with an invariant time-stamp
/// counter: that counter. On aarch64: the virtual counter, scaled to processor cycles. Otherwise
/// RealNs scaled by HostMhz, because a counter that stops in sleep or changes its rate is not a
/// clock.
std::uint64_t RealCycles() noexcept;

/// CPU time (user and kernel) of the calling thread in ns. One system call.
std::uint64_t ThreadNs() noexcept;

/// The processor's highest frequency in MHz, never 0: from cpufreq or another source (cpu_info.h),
/// else EstimateMhz. Determined once.
unsigned HostMhz() noexcept;

/// Measures the processor's present frequency in MHz (at least 1) with a chain of dependent
/// additions. Takes 1 ms.
unsigned EstimateMhz() noexcept;

/// value * numerator / denominator, computed with 128 bits; at most 2^64 - 1. `denominator` must
/// not be 0.
constexpr std::uint64_t Scaled(std::uint64_t value, std::uint64_t numerator,
                               std::uint64_t denominator) noexcept {
  const unsigned __int128 product = static_cast<unsigned __int128>(value) * numerator / denominator;
  return product > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(product);
}

}  // namespace csink

#pragma once

#include <cstdint>

/// File: the clocks that programs measure themselves with. The first call finds out which source is
/// right here (a few microseconds); then a call is a few nanoseconds and no system call, except for
/// the CPU time, which only the kernel knows.
///
/// Threads: any. Signals: safe but for HostMhz and what needs it (first call only).

namespace csink {

/// CLOCK_MONOTONIC, by the vdso.
std::uint64_t RealNs() noexcept;

/// Cycles of a constant clock since some starting point. x86 with an invariant time-stamp counter:
/// that counter. aarch64: the virtual counter, scaled to CPU cycles. Else RealNs scaled by HostMhz:
/// a counter that stops in sleep or changes its pace would not be a clock.
std::uint64_t RealCycles() noexcept;

/// CPU time (user and system) of the calling thread.
std::uint64_t ThreadNs() noexcept;

/// The CPU's highest frequency in MHz, never 0: cpufreq's or whatever else tells it (cpu_info.h),
/// else EstimateMhz. Read once.
unsigned HostMhz() noexcept;

/// Times a chain of dependent additions: the CPU's present frequency in MHz, at least 1. 1 ms.
unsigned EstimateMhz() noexcept;

/// value * numerator / denominator without an overflow in between; saturates. denominator != 0.
constexpr std::uint64_t Scaled(std::uint64_t value, std::uint64_t numerator,
                               std::uint64_t denominator) noexcept {
  const unsigned __int128 product = static_cast<unsigned __int128>(value) * numerator / denominator;
  return product > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(product);
}

}  // namespace csink

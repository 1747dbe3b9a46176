#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/events/table_encoding.h"

/// File: which tables (event_tables.h) are of this processor. Lean. Threads: any.

namespace csink {

/// What tells a processor's tables.
struct CpuFacts {
  enum class Vendor : std::uint8_t { kOther, kAmd, kIntel, kArm };
  Vendor vendor = Vendor::kOther;
  unsigned family = 0;         ///< x86: with the extended family
  unsigned model = 0;          ///< x86: with the extended model
  std::uint32_t midr[4] = {};  ///< Arm: the kinds of cores, MIDR_EL1; 0: no more
  const char* devices = "/sys/bus/event_source/devices";
  /// LIBPFM_FORCE_PMU: names, with commas between; nullptr: what the processor has.
  const char* forced = nullptr;

  /// Of this machine: CPUID or MIDR, and the environment.
  static CpuFacts Read() noexcept;
};

inline constexpr std::size_t kMostPresentTables = 4;

struct PresentTables {
  std::array<PresentTable, kMostPresentTables> tables = {};
  std::size_t count = 0;
};

/// The tables of a processor. The PMU of a socket counts only where the kernel has it; the two
/// kinds of cores of a hybrid have types of their own.
PresentTables TablesOf(const CpuFacts& cpu) noexcept;

}  // namespace csink

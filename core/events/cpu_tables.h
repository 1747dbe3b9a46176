#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/events/table_encoding.h"

/// File: chooses the event tables (event_tables.h) of this processor. Lean. Threads: any. Signals:
/// not safe (getenv).

namespace csink {

/// The facts by which a processor's tables are chosen.
struct CpuFacts {
  enum class Vendor : std::uint8_t { kOther, kAmd, kIntel, kArm };
  Vendor vendor = Vendor::kOther;
  unsigned family = 0;         ///< x86: displayed family
  unsigned model = 0;          ///< x86: displayed model
  std::uint32_t midr[4] = {};  ///< Arm: MIDR_EL1 of each kind of cores; 0: no further kind
  const char* devices = "/sys/bus/event_source/devices";
  /// LIBPFM_FORCE_PMU: names of PMUs, separated by commas, used instead of the processor's;
  /// nullptr: not set.
  const char* forced = nullptr;

  /// The facts of this machine, by CPUID or MIDR and from the environment.
  static CpuFacts Read() noexcept;
};

inline constexpr std::size_t kMostPresentTables = 4;

/// The tables of one processor.
struct PresentTables {
  std::array<PresentTable, kMostPresentTables> tables = {};
  std::size_t count = 0;
};

/// The tables of a processor. A socket's PMU is included only where the kernel has it, except when
/// forced. The two kinds of cores of a hybrid processor have tables with types of their own.
PresentTables TablesOf(const CpuFacts& cpu) noexcept;

}  // namespace csink

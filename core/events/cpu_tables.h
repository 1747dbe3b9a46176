#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/events/table_encoding.h"

/// File: chooses the event tables (event_tables.h) of this processor. CpuFacts is the input, so
/// tests choose tables for processors that they do not run on.
/// Lean. Threads: any; nothing is cached. Signals: not safe (getenv).

namespace csink {

/// The facts by which a processor's tables are chosen.
struct CpuFacts {
  /// Vendors that have tables. kOther: a processor of another vendor, for which no table is chosen.
  enum class Vendor : std::uint8_t { kOther, kAmd, kIntel, kArm };
  /// By CPUID's vendor name; kArm for every processor with a MIDR.
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

/// Stores the MIDR_EL1 values of an Arm machine in `midr`, each once, in the order of the lowest
/// CPU with that value; 0 behind the last one. CPUs that are offline are skipped, since their files
/// are missing. `cpus`: the folder of CPUs; tests pass another. All values are 0 if no file can be
/// read.
void ReadMidrs(const char* cpus, std::uint32_t (&midr)[4]) noexcept;

/// The most tables of one processor: two kinds of cores on x86, one table for each of four MIDR
/// values on Arm, or as many names as LIBPFM_FORCE_PMU may state. Further tables are ignored.
inline constexpr std::size_t kMostPresentTables = 4;

/// The tables of one processor: the first `count` elements of `tables` are valid, in the order in
/// which their PMUs are numbered (PfmLibrary::kFirstTablePmu).
struct PresentTables {
  std::array<PresentTable, kMostPresentTables> tables = {};
  std::size_t count = 0;
};

/// The tables of a processor; none for a processor that only libpfm4 knows. A socket's PMU is
/// included only where the kernel has it, except when forced. The two kinds of cores of a hybrid
/// processor have tables with types of their own. Names in CpuFacts::forced that no table has are
/// ignored: they may be libpfm4's.
PresentTables TablesOf(const CpuFacts& cpu) noexcept;

}  // namespace csink

#pragma once

#include <cstdint>

namespace csink {

/// What an event counts. Determines labels and derived columns. The values are part of the spool
/// format (profil/format/format.h) and never change.
enum class EventClass : std::uint32_t {
  kOther = 0,
  /// Events of this class count ns, so their sums are times.
  kClock = 1,  ///< CPU time in ns (task-clock, cpu-clock)
  kCycles = 2,
  kInstructions = 3,
  kCacheReferences = 4,
  kCacheMisses = 5,
  kBranches = 6,
  kBranchMisses = 7,
  /// Events of the kernel: they need no counter of a PMU, and each one is worth a sample.
  kPageFaults = 8,
  kContextSwitches = 9,
};

}  // namespace csink

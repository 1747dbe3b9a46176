#pragma once

#include <cstdint>
#include <set>

/// File: which events an Arm PMU implements, because the kernel accepts all.

namespace csink {

/// The events that Arm core PMUs report as implemented. perf_event_open accepts any event number on
/// Arm, and an event that the PMU does not implement stays at 0. The kernel shows the events whose
/// bits are set in PMCEID0/1_EL0 as files "event=0x0011" in devices/armv8_*/events.
///
/// PMUv3 requires L1D_CACHE_REFILL, L1D_CACHE, BR_MIS_PRED and BR_PRED of a core with a data cache
/// and a branch predictor (Arm ARM DDI 0487, "Required events"). A PMU that lists none of these is
/// an emulated one, and does not count other documented events of the core either.
/// Owns: the list. Threads: any may read. Signals: not safe.
class ArmPmuEvents {
 public:
  /// Reads the lists of all core PMUs below `devices`; they are combined.
  explicit ArmPmuEvents(const char* devices = "/sys/bus/event_source/devices");

  /// Whether the PMU lists events and none of the required ones. False where the kernel lists
  /// nothing: then nothing is known.
  bool emulated() const noexcept { return !listed_.empty() && !has_required_; }
  /// Whether event `number` can differ from 0; true where nothing is known.
  bool Counts(std::uint64_t number) const { return !emulated() || listed_.count(number) != 0; }

 private:
  std::set<std::uint64_t> listed_;
  bool has_required_ = false;
};

}  // namespace csink

#pragma once

#include <cstdint>
#include <set>

namespace csink {

/// Which events an Arm core PMU counts, by its own word. perf_event_open takes any number there,
/// and a PMU that does not have the event leaves it at 0. The kernel shows the events whose bits
/// are set in PMCEID0/1_EL0 as files "event=0x0011" under devices/armv8_*/events.
///
/// PMUv3 demands L1D_CACHE_REFILL, L1D_CACHE, BR_MIS_PRED and BR_PRED of a core with a data cache
/// and a branch predictor (Arm ARM DDI 0487, "Required events"). A PMU that lists none of them is
/// an emulated one: neither does it count the events that the documents of the core promise.
class ArmPmuEvents {
 public:
  /// All core PMUs together.
  explicit ArmPmuEvents(const char* devices = "/sys/bus/event_source/devices");

  bool emulated() const noexcept { return !listed_.empty() && !has_required_; }
  /// Whether event `number` can be anything but 0; true where nothing is known.
  bool Counts(std::uint64_t number) const { return !emulated() || listed_.count(number) != 0; }

 private:
  std::set<std::uint64_t> listed_;
  bool has_required_ = false;
};

}  // namespace csink

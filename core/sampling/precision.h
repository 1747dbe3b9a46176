#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

namespace csink {

/// The processor feature that attributes samples to precise addresses: Intel's PEBS, AMD's IBS,
/// Arm's SPE. The values are part of the spool format (spool::PreciseBy) and must not change.
enum class Precision : std::uint32_t { kNothing = 0, kPebs = 1, kIbs = 2, kSpe = 3 };

/// The feature that delivers the samples of event `spec`, opened with `precise_ip`
/// (perf_event_open(2)). An event name that states its PMU decides (ibs_op, ibs_fetch, arm_spe_0).
/// Otherwise the processor's maker decides: PEBS on Intel (SDM 3B, 20.6.2.4), IBS on AMD, whose
/// kernel driver passes precise events to IBS (amd_pmu_precise).
/// Signals: safe.
Precision PrecisionOf(const EventSpec& spec, unsigned precise_ip) noexcept;

/// "PEBS", "IBS" or "SPE"; "" for kNothing. Static strings. Signals: safe.
std::string_view NameOf(Precision precision) noexcept;

}  // namespace csink

#pragma once

#include <cstdint>
#include <string_view>

#include "core/events/event_spec.h"

namespace csink {

/// What makes samples precise. The values are those of spool::PreciseBy.
enum class Precision : std::uint32_t { kNothing = 0, kPebs = 1, kIbs = 2, kSpe = 3 };

/// Who delivers the samples of an event that was opened with this precise_ip: the PMU that its name
/// says (ibs_op, ibs_fetch, arm_spe_0), else the one that the processor's maker has: PEBS (Intel
/// SDM 3B, 20.6.2.4) or IBS, to which the kernel hands precise events of AMD's (amd_pmu_precise).
/// Signals: safe.
Precision PrecisionOf(const EventSpec& spec, unsigned precise_ip) noexcept;

/// "PEBS"; "" for kNothing.
std::string_view NameOf(Precision precision) noexcept;

}  // namespace csink

#pragma once

#include <memory>
#include <unordered_map>

#include "compat/papi/preset_events.h"
#include "core/counting/counter_set.h"
#include "core/presets/preset_table.h"

/// File: what PAPI_shutdown takes away while other threads may still be reading it. Reading has no
/// lock, so nobody knows when the last reader is out: what was taken away stays in memory until the
/// next PAPI_shutdown, which no call of before the last one outlives.

namespace csink::papi {

/// The counters of a set that ran on another thread. Stopped; their descriptors and pages stay,
/// too.
void Retire(std::unique_ptr<CounterSet> counters) noexcept;
void Retire(std::unique_ptr<PresetTable> table,
            std::unordered_map<const PresetDefinition*, ResolvedPreset> resolved) noexcept;

/// What earlier shutdowns have retired goes. Under the library's lock, as the two above.
void FreeRetired() noexcept;

}  // namespace csink::papi

#pragma once

#include <memory>
#include <unordered_map>

#include "compat/papi/preset_events.h"
#include "core/counting/counter_set.h"
#include "core/presets/preset_table.h"

/// File: objects that PAPI_shutdown removes while other threads may still read them. Readers take
/// no lock, so the end of the last read is not known. Such objects stay in memory until the next
/// PAPI_shutdown; no call lasts from one shutdown to the next.
/// Threads: under the library's lock.

namespace csink::papi {

/// Keeps the counters of a set that ran on another thread. They are stopped; descriptors and pages
/// stay open, because a PAPI_read of that thread may be using them. nullptr: does nothing.
void Retire(std::unique_ptr<CounterSet> counters) noexcept;
/// Keeps a preset table and the entries made from it. Event sets, listings and texts of other
/// threads may point into both.
void Retire(std::unique_ptr<PresetTable> table,
            std::unordered_map<const PresetDefinition*, ResolvedPreset> resolved) noexcept;

/// Frees what earlier shutdowns have kept. PAPI_shutdown calls it before it retires anything
/// itself.
void FreeRetired() noexcept;

}  // namespace csink::papi

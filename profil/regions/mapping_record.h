#pragma once

#include <cstddef>

#include "core/perf/ring_buffer.h"
#include "profil/regions/region_index.h"

namespace csink {

/// Reads PERF_RECORD_MMAP or MMAP2 (layout: perf_event_open(2)) into `mapping`, whose
/// path then lies in `path`. False: not executable, or not a mapping.
/// Signals: safe.
bool ReadMappingRecord(const RingRecord& record, RegionIndex::Mapping& mapping, char* path,
                       std::size_t path_bytes) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>

#include "core/perf/ring_buffer.h"
#include "profil/regions/region_index.h"

namespace csink {

/// Parses a PERF_RECORD_MMAP or MMAP2 record (layout: perf_event_open(2)) into `mapping`. Its path
/// points into `path`. False: not executable, or another record.
/// Signals: safe.
bool ReadMappingRecord(const RingRecord& record, RegionIndex::Mapping& mapping, char* path,
                       std::size_t path_bytes) noexcept;

}  // namespace csink

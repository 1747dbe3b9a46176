#pragma once

#include <cstddef>

#include "core/perf/ring_buffer.h"
#include "profil/inside/regions/region_index.h"

namespace csink {

/// Parses a PERF_RECORD_MMAP or MMAP2 record (layout: perf_event_open(2)) into `mapping`, with the
/// build-id if the kernel has put it into the record (Linux 5.12). mapping.path points into `path`,
/// a buffer of `path_bytes`; a longer path is cut. `root`: as in DecodeFileName. Returns false if
/// the mapping is not executable or empty.
///
/// The record is not trusted: the ring lies in memory that the program can write to.
/// Threads: one at a time for a buffer. Signals: safe.
bool ReadMappingRecord(const RingRecord& record, RegionIndex::Mapping& mapping, char* path,
                       std::size_t path_bytes, const char* root = nullptr) noexcept;

}  // namespace csink

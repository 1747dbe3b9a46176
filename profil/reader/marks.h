#pragma once

#include <cstdint>

#include "profil/reader/reader.h"

/// File: marks, callers and the configuration of a spool, and the rows of a merged one. As in
/// reader.h the bytes are hostile; `offset` is that of a whole record, `limit` the end of what is
/// readable.

namespace csink::spool {

/// Longer ones are cut by their writers.
inline constexpr std::uint32_t kMaxPhaseBytes = 4096;
inline constexpr std::uint32_t kMaxConfigurationBytes = 64 * 1024;

void ReadPhase(Spool& spool, std::uint64_t offset, std::uint64_t limit);

/// A parent that does not come before its child is dropped: chains have an end whatever the bytes.
void ReadChain(Spool& spool, std::uint64_t offset);

void ReadProcess(Spool& spool, std::uint64_t offset, std::uint64_t limit);
void ReadThreadTotal(Spool& spool, std::uint64_t offset);
void ReadDeviceCounter(Spool& spool, std::uint64_t offset, std::uint64_t limit);
void ReadNote(Spool& spool, std::uint64_t offset, std::uint64_t limit);

void ReadConfiguration(Spool& spool, std::uint64_t limit);

/// After all records: what names a region or a process that is not there names none.
void CheckReferences(Spool& spool);

}  // namespace csink::spool

#pragma once

#include <cstdint>

#include "profil/reading/reader/reader.h"

/// File: parses marks, callers, device counters and the configuration of a spool, and the rows of a
/// merged file. As in reader.h, the bytes are not trusted. Each function appends to its vector in
/// `spool` and adds problems. `offset` is the offset of a complete record, `limit` the end of the
/// readable bytes.

namespace csink::spool {

/// Limits for texts; writers cut longer ones.
inline constexpr std::uint32_t kMaxPhaseBytes = 4096;
inline constexpr std::uint32_t kMaxConfigurationBytes = 64 * 1024;

void ReadPhase(Spool& spool, std::uint64_t offset, std::uint64_t limit);

/// Appends a caller. A parent with a larger id than its child is dropped, so that every chain ends,
/// whatever the bytes are.
void ReadChain(Spool& spool, std::uint64_t offset);
/// Appends an end of chains. An end or way of a later version becomes kUnknown.
void ReadChainEnd(Spool& spool, std::uint64_t offset);

/// `record_bytes`: with the counts, and with WallTotals where the writer knew them.
void ReadProcess(Spool& spool, std::uint64_t offset, std::uint32_t record_bytes,
                 std::uint64_t limit);
void ReadThreadTotal(Spool& spool, std::uint64_t offset, std::uint32_t record_bytes);
void ReadDeviceCounter(Spool& spool, std::uint64_t offset, std::uint64_t limit);
void ReadNote(Spool& spool, std::uint64_t offset, std::uint64_t limit);
void ReadTreeFacts(Spool& spool, std::uint64_t offset, std::uint64_t limit);

/// Sets spool.configuration from the header's offset.
void ReadConfiguration(Spool& spool, std::uint64_t limit);

/// Call after all records were parsed: removes references to regions and processes that do not
/// exist, so that users of the Spool need not check indices.
void CheckReferences(Spool& spool);

}  // namespace csink::spool

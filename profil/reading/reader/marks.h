#pragma once

#include <cstdint>

#include "profil/reading/reader/bytes.h"
#include "profil/reading/reader/reader.h"

/// File: parses marks, callers, device counters and the configuration of a spool, and the rows of a
/// merged file. As in reader.h, the bytes are not trusted. Read appends a record to the vector of
/// its type in `spool` and adds problems.

namespace csink::spool {

/// Limits for texts; writers cut longer ones.
inline constexpr std::uint32_t kMaxPhaseBytes = 4096;
inline constexpr std::uint32_t kMaxConfigurationBytes = 64 * 1024;

/// A parent with a larger id than its child is dropped, so that every chain ends, whatever the
/// bytes are.
void Read(Spool& spool, const StoredRecord<ChainNode>& at);
/// An end or way of a later version becomes kUnknown.
void Read(Spool& spool, const StoredRecord<ChainEndRecord>& at);
void Read(Spool& spool, const StoredRecord<PhaseRecord>& at);
void Read(Spool& spool, const StoredRecord<ProcessRecord>& at);
void Read(Spool& spool, const StoredRecord<ThreadTotalRecord>& at);
void Read(Spool& spool, const StoredRecord<DeviceCounterRecord>& at);
void Read(Spool& spool, const StoredRecord<PythonCodeRecord>& at);
void Read(Spool& spool, const StoredRecord<PythonStateRecord>& at);
void Read(Spool& spool, const StoredRecord<RunFactsRecord>& at);
void Read(Spool& spool, const StoredRecord<NoteRecord>& at);
void Read(Spool& spool, const StoredRecord<TreeFactsRecord>& at);

/// Sets spool.configuration from the header's offset.
void ReadConfiguration(Spool& spool, std::uint64_t limit);

/// Call after all records were parsed: removes references to regions and processes that do not
/// exist, so that users of the Spool need not check indices.
void CheckReferences(Spool& spool);

}  // namespace csink::spool

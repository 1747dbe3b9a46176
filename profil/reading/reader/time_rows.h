#pragma once

#include <cstdint>

#include "profil/reading/reader/reader.h"

/// File: parses the rows of the time line. As in reader.h, the bytes are not trusted; `offset` is
/// the offset of a complete record. A doubling that was interrupted is completed
/// (profil/format/slices.h).

namespace csink::spool {

void ReadThreadSlices(Spool& spool, std::uint64_t offset);
void ReadPlaceSlices(Spool& spool, std::uint64_t offset);

/// Call after all records were parsed: removes rows of threads and regions that do not exist, and
/// further rows of a thread.
void CheckTimeRows(Spool& spool);

}  // namespace csink::spool

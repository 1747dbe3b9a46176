#pragma once

#include "profil/reading/reader/bytes.h"
#include "profil/reading/reader/reader.h"

/// File: parses the rows of the time line. As in reader.h, the bytes are not trusted. A doubling
/// that was interrupted is completed (profil/format/slices.h).

namespace csink::spool {

void Read(Spool& spool, const StoredRecord<ThreadSlicesRecord>& at);
void Read(Spool& spool, const StoredRecord<PlaceSlicesRecord>& at);

/// Call after all records were parsed: removes rows of threads and regions that do not exist, and
/// further rows of a thread.
void CheckTimeRows(Spool& spool);

}  // namespace csink::spool

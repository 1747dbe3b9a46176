#pragma once

#include "profil/reading/reader/reader.h"

/// File: checks the records of waiting threads. As in reader.h, the bytes are not trusted.

namespace csink::spool {

/// Call after all records of the spool but its buckets were read, and after CheckReferences. Makes
/// every index in spool.waits valid, or "none" (Waits); counts the changed records in
/// spool.misplaced_waits. Users divide by sums of squares, so those become finite and at least 0.
void CheckWaits(Spool& spool);

}  // namespace csink::spool

#pragma once

#include "profil/reading/reader/reader.h"

/// File: checks the records with times. As in reader.h, the bytes are not trusted.

namespace csink::spool {

/// Call after all records of the spool but its buckets were read. Leaves out moments that end
/// before their begin, and samples of unknown events, which is a problem unless the process still
/// writes; makes regions and chains of samples valid, or none.
void CheckTimed(Spool& spool);

}  // namespace csink::spool

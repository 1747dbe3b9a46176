#pragma once

#include <cstddef>
#include <vector>

#include "core/util/result.h"
#include "profil/reading/model/profile.h"

namespace csink {

/// Converts a profile to the bytes of a merged file (profil/format/format.h, "A merged file").
/// Reading the file with ProfileMerger gives the same profile, except Profile::tree, unseen_ns and
/// switched_off_ns of the processes, and the last ones of many Profile::problems. Places that are
/// split by thread (MergeOptions::keep_threads) stay split. Errors: kLimit (more than
/// spool::kMaxEvents events, or more than spool::kMaxSpoolBytes bytes), kInvalid (no process).
/// Threads: any.
Result<std::vector<std::byte>> BuildMergedFile(const Profile& profile);

}  // namespace csink

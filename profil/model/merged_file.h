#pragma once

#include <cstddef>
#include <vector>

#include "core/util/result.h"
#include "profil/model/profile.h"

namespace csink {

/// A profile as the bytes of a merged file (profil/spool/format.h, "A merged file"): what
/// ProfileMerger makes of it again is the same profile, less Profile::tree and the last of many
/// Profile::problems. Places that are split by thread (MergeOptions::keep_threads) stay so.
/// Errors: kLimit (more than spool::kMaxEvents events, or more than spool::kMaxSpoolBytes),
/// kInvalid (no process in it).
Result<std::vector<std::byte>> BuildMergedFile(const Profile& profile);

}  // namespace csink

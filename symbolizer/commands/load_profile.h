#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profil/model/merge.h"

/// File: reads the files of a profile.

namespace csink::tool {

/// Reads spools, merged files and record files of process trees, one at a time, and adds them up.
/// The order of `paths` does not matter. If a merged file already contains a spool or record, that
/// one is not added again. Files that cannot be read are reported on stderr (unreadable.h) and
/// counted in `failed`; the others are added. Without any readable file the profile has no
/// processes. `ends`: of processes that no process of the tree waited for.
Profile LoadProfile(const std::vector<std::string>& paths, std::size_t& failed,
                    const MergeOptions& options = {}, const std::vector<ChildEnd>& ends = {});

}  // namespace csink::tool

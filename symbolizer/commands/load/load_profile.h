#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profil/reading/merge/merge.h"

/// File: reads the files of a profile.

namespace csink::tool {

/// Reads spools, merged files and record files of process trees, one at a time, and adds them up.
/// The order of `paths` does not matter. If a merged file already contains a spool or record, that
/// one is not added again. Files that cannot be read are reported on stderr (unreadable.h) and
/// counted in `failed`; the others are added. Without any readable file the profile has no
/// processes. `known`: what the caller knows of a tree beside its files, such as the ends of
/// processes that no process of the tree waited for.
/// LimitSources was called with it.
Profile LoadProfile(const std::vector<std::string>& paths, std::size_t& failed,
                    const MergeOptions& options = {}, const TreeEvidence& known = {});

/// Where this process is root and the profile has processes of other users, or its spools belong to
/// them (`owners`): sources are read with the rights of that user from now on, or where there are
/// several, only if everybody may read them. The debug information of their programs may name any
/// file. A spool says what its owner wants, so the users that it names are not enough.
void LimitSources(const Profile& profile, std::set<std::uint32_t> owners);

}  // namespace csink::tool

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profil/model/merge.h"

namespace csink::tool {

/// Reads spools, merged files and record files of trees, one at a time, and adds them up. What a
/// merged file holds already is not added again from its spool or record. Those that
/// cannot be read are complained of (unreadable.h) and counted in `failed`.
Profile LoadProfile(const std::vector<std::string>& paths, std::size_t& failed,
                    const MergeOptions& options = {});

}  // namespace csink::tool

#pragma once

#include "agent/settings/config.h"
#include "profil/format/small_record.h"

namespace csink::agent {

/// Records in the tree's file that this process leaves no samples, and why. `error`: errno, 0:
/// none. Does nothing outside a tree of `csink run`. Threads: one at a time. Signals: safe; keeps
/// errno.
void RecordLeftOut(const Config& config, spool::LeftOut why, int error) noexcept;

}  // namespace csink::agent

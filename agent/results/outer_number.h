#pragma once

#include <sys/types.h>

#include "agent/process/start_state.h"
#include "agent/settings/config.h"

namespace csink::agent {

/// Records in the tree's file by which number the parent knows this process, where that is not its
/// own one: its parent is in another pid namespace, and /proc is still that of the parent. Does
/// nothing otherwise, and outside a tree of `csink run`. `parent`: the parent's own number, 0: not
/// known. Call after ReadStartState. Threads: one at a time. Signals: safe; keeps errno.
void RecordOuterNumber(const Config& config, const StartState& state, pid_t parent) noexcept;

}  // namespace csink::agent

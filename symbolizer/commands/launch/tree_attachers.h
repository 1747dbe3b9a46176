#pragma once

#include <cstdint>
#include <functional>
#include <string>

/// File: csink-attach processes that the agent's exec hooks start in a tree, for programs into
/// which libagent.so cannot be preloaded (agent/attach/become.h).

namespace csink::tool {

/// Waits until the spools of these processes are complete: each holds a lock on the record file of
/// the tree's folder, and ends a few milliseconds after its program. `tree_runs` says whether
/// programs of the tree still run, daemons for instance, whose csink-attach goes on sampling:
/// then the wait ends after 0.3 s, otherwise after 5 s.
void AwaitAttachers(const std::string& folder, const std::function<bool()>& tree_runs);

/// CPU time of the processes that have ended, ns. 0: there were none.
std::uint64_t AttachersCpuNs(const std::string& folder);

}  // namespace csink::tool

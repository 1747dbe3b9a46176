#pragma once

#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

namespace csink::symbolizer {

/// Resolves code without a file: first from the process's jitdump files, then from its perf map.
/// For a process that still runs, the files are opened below its own root (/proc/PID/root), because
/// its /tmp may be a different folder.
ModuleAnswer ResolveAnonymous(const ModuleRequest& request, const Options& options);

}  // namespace csink::symbolizer

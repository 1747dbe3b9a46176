#pragma once

#include "symbolizer/names/query/answer.h"
#include "symbolizer/names/query/request.h"

namespace csink::symbolizer {

/// Resolves code without a file (request.is_anonymous): first from the process's jitdump files,
/// then from its perf map. For a process that still runs, the files are opened below its own root
/// (/proc/PID/root), because its /tmp may be a different folder. Addresses without a name become
/// "[anon:START+0xDISTANCE]"; the answer's problem says why a file was not read.
ModuleAnswer ResolveAnonymous(const ModuleRequest& request, const Options& options);

}  // namespace csink::symbolizer

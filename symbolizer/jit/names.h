#pragma once

#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

namespace csink::symbolizer {

/// Answers for code without a file: from the process's jitdump files, then from its perf map.
/// A process that still runs is asked in its own root: it may have a /tmp of its own.
ModuleAnswer ResolveAnonymous(const ModuleRequest& request, const Options& options);

}  // namespace csink::symbolizer

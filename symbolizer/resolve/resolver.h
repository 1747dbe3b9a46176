#pragma once

#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

/// File: the symbolizer's public face. (module, file offsets) -> functions and lines.
///
/// All PCs are known before we start, so there is no query for one PC: a module's
/// offsets are resolved in one batch, each file is opened once, each symbol table
/// and each line table is read once.

namespace csink::symbolizer {

/// Resolves one module. Never throws on bad files: the worst answer is kNone
/// with a problem said. Threads: safe, no shared state.
ModuleAnswer ResolveModule(const ModuleRequest& request, const Options& options);

}  // namespace csink::symbolizer

#pragma once

#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

/// File: the symbolizer's public interface. (module, file offsets) -> functions and lines.
///
/// All PCs are known before symbolizing begins, so there is no query for one PC: the offsets of a
/// module are resolved in one batch, each file is opened once, and each symbol table and line table
/// is read once.

namespace csink::symbolizer {

/// Resolves one module. Damaged files cause no error: the worst result is kNone and a `problem`.
/// Threads: any; there is no shared state.
ModuleAnswer ResolveModule(const ModuleRequest& request, const Options& options);

}  // namespace csink::symbolizer

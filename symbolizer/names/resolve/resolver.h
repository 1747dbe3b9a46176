#pragma once

#include "symbolizer/names/query/answer.h"
#include "symbolizer/names/query/request.h"

/// File: the symbolizer's public interface. (module, file offsets) -> functions and lines.
///
/// All PCs are known before symbolizing begins, so there is no query for one PC: the offsets of a
/// module are resolved in one batch, each file is opened once, and each symbol table and line table
/// is read once. Results that took long are kept by cache/cached_resolver.h, which calls this
/// interface.

namespace csink::symbolizer {

/// Resolves one module: a file, the kernel, or anonymous code. The answer has one location for each
/// offset of the request, in the same order. Damaged files cause no error: the worst result is
/// kNone and a `problem`.
/// Threads: any; there is no shared state. Inlined functions may be read by several threads of its
/// own.
ModuleAnswer ResolveModule(const ModuleRequest& request, const Options& options);

}  // namespace csink::symbolizer

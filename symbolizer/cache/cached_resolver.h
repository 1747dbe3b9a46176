#pragma once

#include <functional>

#include "symbolizer/resolve/resolver.h"

/// File: ResolveModule with a memory. What took long to find is kept on disk under the module's
/// build id, path and level of detail, for this very csink; the next report opens neither the
/// module nor its debug file.
///
/// A kept answer is used while each file that was opened for it, or looked for in vain, is as it
/// was (size and time of last change): a debug package that is installed later is found at once.
/// Where the module itself is gone or was replaced, its names of before are better than none.

namespace csink::symbolizer {

using ModuleResolver = std::function<ModuleAnswer(const ModuleRequest&, const Options&)>;

/// As ResolveModule (`resolve`), with the cache in Options::cache_folder. Modules without a build
/// id, the kernel, the vdso and anonymous code are never kept, nor an answer with a problem.
/// A cache that cannot be read or written is no cache; nothing is said.
/// Threads: safe, also with other processes at the same folder.
ModuleAnswer ResolveModuleCached(const ModuleRequest& request, const Options& options,
                                 const ModuleResolver& resolve = ResolveModule);

}  // namespace csink::symbolizer

#pragma once

#include <functional>

#include "symbolizer/names/resolve/resolver.h"

/// File: ResolveModule with a cache. Results that took long are stored on disk under the module's
/// build id, path and level of detail, and under the build id of this csink. A later
/// report then opens neither the module nor its debug file.
///
/// An entry is valid while every file that was opened for it, or that did not exist, is unchanged
/// (size and modification time). So a debug package that is installed later is used at once. If the
/// module itself was removed or replaced, its cached names are still used: they are better than
/// none.

namespace csink::symbolizer {

/// What resolves a module that is not in the cache; tests pass another one than ResolveModule.
using ModuleResolver = std::function<ModuleAnswer(const ModuleRequest&, const Options&)>;

/// As ResolveModule (or `resolve`), with the cache in Options::cache_folder. Not cached: modules
/// without a build id, the kernel, the vdso, anonymous code, and answers with a problem. If the
/// cache cannot be read or written, it is not used, without a message.
/// Threads: safe; several processes may use the same folder.
ModuleAnswer ResolveModuleCached(const ModuleRequest& request, const Options& options,
                                 const ModuleResolver& resolve = ResolveModule);

}  // namespace csink::symbolizer

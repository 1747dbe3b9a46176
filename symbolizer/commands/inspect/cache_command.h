#pragma once

#include <string>

/// File: `csink cache` (symbolizer/names/cache).

namespace csink::tool {

/// `csink cache show`: prints the cache's folder, number of files and size. `csink cache clear`:
/// removes the files. `action` is "show" or "clear". Returns the exit status: 0, or kExitNothing if
/// names are not kept or the folder cannot be used.
int RunCache(const std::string& action);

}  // namespace csink::tool

#pragma once

#include "symbolizer/kernel/file.h"

namespace csink::symbolizer {

/// Adds lines and inlined functions of code in kernel modules, if debug information with the build
/// id of the loaded module (/sys/module/NAME/notes) is found: by build id below /usr/lib/debug
/// (linux-image-*-dbg), by name in /usr/lib/debug/lib/modules/RELEASE or /lib/modules/RELEASE, or
/// through options.fetch. The addresses of the module's sections come from
/// /sys/module/NAME/sections, which only root can read. `answer` is the result of ResolveKernel for
/// the same request. Locations of modules whose sections or build id cannot be read are left
/// unchanged. Does nothing for another kernel than the running one, without Detail::kLines, and if
/// `answer` has a problem.
void AddKernelModuleLines(const ModuleRequest& request, const Options& options, ResolveFile resolve,
                          ModuleAnswer& answer);

}  // namespace csink::symbolizer

#pragma once

#include "symbolizer/kernel/file.h"

namespace csink::symbolizer {

/// Lines and inlined functions of code in kernel modules, where a module's debug information is
/// here and has the build id of the module that is loaded (/sys/module/NAME/notes): by build id
/// below /usr/lib/debug (linux-image-*-dbg), under its name in /usr/lib/debug/lib/modules/RELEASE
/// or /lib/modules/RELEASE, or fetched. /sys/module/NAME/sections, which only root can read, tells
/// where each section of the module lies in memory. `answer` is ResolveKernel's for the same
/// request. The answers of a module whose sections or build id cannot be read stay as they are.
void AddKernelModuleLines(const ModuleRequest& request, const Options& options, ResolveFile resolve,
                          ModuleAnswer& answer);

}  // namespace csink::symbolizer

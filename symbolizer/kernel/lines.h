#pragma once

#include <string>

#include "symbolizer/kernel/file.h"

namespace csink::symbolizer {

/// Lines and inlined functions of kernel code, where a vmlinux with debug information is here and
/// has the running kernel's build id (/sys/kernel/notes): below /usr/lib/debug (linux-image-*-dbg),
/// /lib/modules/RELEASE/build, /boot, by build id, or fetched. Addresses are moved by as much as
/// the kernel was at its start: _stext in kallsyms less _stext in the file. `answer` is
/// ResolveKernel's for the same request; code of modules stays as it is (kernel/module_lines.h).
void AddKernelLines(const ModuleRequest& request, const Options& options, ResolveFile resolve,
                    ModuleAnswer& answer);

}  // namespace csink::symbolizer

#pragma once

#include <string>

#include "symbolizer/kernel/file.h"

namespace csink::symbolizer {

/// Adds lines and inlined functions of kernel code, if a vmlinux with debug information and the
/// running kernel's build id (/sys/kernel/notes) is found: below /usr/lib/debug
/// (linux-image-*-dbg), in /lib/modules/RELEASE/build, in /boot, by build id, or through
/// options.fetch. KASLR moves the kernel at boot; the distance is _stext in kallsyms less _stext in
/// the file. `answer` is the result of ResolveKernel for the same request. Locations in kernel
/// modules are left unchanged (kernel/module_lines.h). Does nothing for another kernel than the
/// running one, without Detail::kLines, and if `answer` has a problem.
void AddKernelLines(const ModuleRequest& request, const Options& options, ResolveFile resolve,
                    ModuleAnswer& answer);

}  // namespace csink::symbolizer

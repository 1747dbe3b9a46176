#pragma once

#include <string>

#include "symbolizer/names/kernel/file.h"
#include "symbolizer/names/query/answer.h"
#include "symbolizer/names/query/request.h"

/// File: what the symbolizer knows of kernel code. ResolveKernel gives names from /proc/kallsyms;
/// the two others add lines and inlined functions to its answer.

namespace csink::symbolizer {

/// The path of kernel code in spools (profil/inside/regions/region_index.h). Requests with this
/// path are for the kernel; their offsets are addresses.
inline constexpr char kKernelPath[] = "[kernel]";

/// Resolves kernel addresses (request.file_offsets: sorted, unique). Names come from `list`
/// (/proc/kallsyms) if the request is for the kernel that runs now and the list shows addresses
/// (kernel.kptr_restrict). Otherwise every function is "[kernel]", and the problem names the
/// remedy. Names of modules are followed by the module: "ext4_read [ext4]". The vsyscall page is
/// named in any case.
ModuleAnswer ResolveKernel(const ModuleRequest& request, const std::string& list);

/// Adds lines and inlined functions of kernel code, if a vmlinux with debug information and the
/// running kernel's build id (/sys/kernel/notes) is found: below /usr/lib/debug
/// (linux-image-*-dbg), in /lib/modules/RELEASE/build, in /boot, by build id, or through
/// options.fetch. KASLR moves the kernel at boot; the distance is _stext in kallsyms less _stext in
/// the file. `answer` is the result of ResolveKernel for the same request. Locations in kernel
/// modules are left unchanged (AddKernelModuleLines). Does nothing for another kernel than the
/// running one, without Detail::kLines, and if `answer` has a problem.
void AddKernelLines(const ModuleRequest& request, const Options& options, ResolveFile resolve,
                    ModuleAnswer& answer);

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

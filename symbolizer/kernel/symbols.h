#pragma once

#include <string>

#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

/// File: names of kernel code from /proc/kallsyms.

namespace csink::symbolizer {

/// The path of kernel code in spools (profil/regions/region_index.h). Requests with this path are
/// for the kernel; their offsets are addresses.
inline constexpr char kKernelPath[] = "[kernel]";

/// Resolves kernel addresses (request.file_offsets: sorted, unique). Names come from `list`
/// (/proc/kallsyms) if the request is for the kernel that runs now and the list shows addresses
/// (kernel.kptr_restrict). Otherwise every function is "[kernel]", and the problem names the
/// remedy. Names of modules are followed by the module: "ext4_read [ext4]". The vsyscall page is
/// named in any case.
ModuleAnswer ResolveKernel(const ModuleRequest& request, const std::string& list);

}  // namespace csink::symbolizer

#pragma once

#include <string>

#include "symbolizer/query/answer.h"
#include "symbolizer/query/request.h"

/// File: names of kernel code, from the running kernel's own list.

namespace csink::symbolizer {

/// The path under which spools have kernel code (profil/regions/region_index.h).
inline constexpr char kKernelPath[] = "[kernel]";

/// Resolves addresses of the kernel. Names come from `list` (/proc/kallsyms) when the request
/// is of the kernel that runs now and the list shows addresses; else each is "[kernel]", and
/// the problem says what would help.
ModuleAnswer ResolveKernel(const ModuleRequest& request, const std::string& list);

}  // namespace csink::symbolizer

#pragma once

#include <optional>
#include <string>

#include "symbolizer/elf/file.h"
#include "symbolizer/query/request.h"

namespace csink::symbolizer {

/// The request's file as one of its processes has it, while that runs: by /proc/PID/map_files
/// (needs CAP_CHECKPOINT_RESTORE), /proc/PID/exe, an open descriptor (memfds), or the path in the
/// process's own root. What is found is checked like a file by path; a mapping that shows the
/// request's device and inode needs no build id.
std::optional<ElfFile> OpenFromProcesses(const ModuleRequest& request, const std::string& proc);

}  // namespace csink::symbolizer

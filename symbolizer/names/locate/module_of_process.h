#pragma once

#include <optional>
#include <string>

#include "symbolizer/names/elf/file.h"
#include "symbolizer/names/query/request.h"

namespace csink::symbolizer {

/// Opens the request's file through a process that has it mapped and still runs: by
/// /proc/PID/map_files (needs CAP_CHECKPOINT_RESTORE), /proc/PID/exe, an open descriptor (memfds),
/// or the path below the process's own root. The result is verified like a file found by path; a
/// mapping with the request's device and inode needs no build id. `proc` is "/proc". nullopt: no
/// process runs any more, may be looked into, or has the file.
///
/// Such files are not recorded in the OpenLog: their path ends with the process.
std::optional<ElfFile> OpenFromProcesses(const ModuleRequest& request, const std::string& proc);

}  // namespace csink::symbolizer

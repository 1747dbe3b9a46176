#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/query/request.h"

/// File: processes of a profile that still run. Only there can a file be had that has no name any
/// more, or that lies in another mount namespace.

namespace csink::symbolizer {

/// Those of `wanted` that run, by their number in `proc` ("/proc"). A number that was given to
/// another process since is told by the start time; inner numbers by NSpid (proc(5)).
std::vector<std::uint32_t> FindLiveProcesses(const std::string& proc,
                                             std::span<const ProcessId> wanted);

/// What a process maps, as /proc/PID/maps has it.
struct MappedFile {
  std::string range;  ///< "7f00-7f10", the name in map_files
  std::uint64_t device_major = 0, device_minor = 0, inode = 0;
  bool is_deleted = false;
};

/// The executable mappings of `path` (without " (deleted)") in the process, at most 64.
std::vector<MappedFile> FindMappings(const std::string& proc, std::uint32_t pid,
                                     const std::string& path);

}  // namespace csink::symbolizer

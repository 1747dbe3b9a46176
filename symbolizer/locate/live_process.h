#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/query/request.h"

/// File: finds processes of a profile that still run. Deleted files, memfds and files of other
/// mount namespaces can be opened only through /proc/PID of such a process.

namespace csink::symbolizer {

/// The members of `wanted` that still run, as pids of this namespace. `proc` is "/proc". A reused
/// pid is recognised by the start time; pids of other namespaces are matched by NSpid in
/// /proc/PID/status (proc(5)).
std::vector<std::uint32_t> FindLiveProcesses(const std::string& proc,
                                             std::span<const ProcessId> wanted);

/// One mapping of a process, as in /proc/PID/maps.
struct MappedFile {
  std::string range;  ///< "7f00-7f10", its name in /proc/PID/map_files
  std::uint64_t device_major = 0, device_minor = 0, inode = 0;
  bool is_deleted = false;
};

/// The executable mappings of `path` (without " (deleted)") in the process, at most 64.
std::vector<MappedFile> FindMappings(const std::string& proc, std::uint32_t pid,
                                     const std::string& path);

}  // namespace csink::symbolizer

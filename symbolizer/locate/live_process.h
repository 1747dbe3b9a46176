#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/query/request.h"

/// File: finds processes of a profile that still run. Deleted files, memfds and files of other
/// mount namespaces can be opened only through /proc/PID of such a process. All answers are
/// snapshots: a process may end at any time, and then what is opened below its folder in /proc
/// fails.

namespace csink::symbolizer {

/// The members of `wanted` that still run, as pids of this namespace. `proc` is "/proc". A reused
/// pid is recognised by the start time; pids of other namespaces are matched by NSpid in
/// /proc/PID/status (proc(5)) and the start time. Members without a pid or start time are left out.
std::vector<std::uint32_t> FindLiveProcesses(const std::string& proc,
                                             std::span<const ProcessId> wanted);

/// One mapping of a process, as a line of /proc/PID/maps shows it (proc(5)).
struct MappedFile {
  std::string range;  ///< "7f00-7f10", its name in /proc/PID/map_files
  /// As the kernel prints them; some file systems have another device in stat(2).
  std::uint64_t device_major = 0, device_minor = 0, inode = 0;
  /// The kernel appends " (deleted)" to the path of a file that has no name any more.
  bool is_deleted = false;
};

/// The executable mappings of `path` (without " (deleted)") in the process, at most 64. Empty if
/// the process has ended, or is another user's. A path that itself ends with " (deleted)" is
/// matched as it is.
std::vector<MappedFile> FindMappings(const std::string& proc, std::uint32_t pid,
                                     const std::string& path);

}  // namespace csink::symbolizer

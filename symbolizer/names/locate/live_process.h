#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbolizer/names/query/request.h"

/// File: finds processes of a profile that still run. Deleted files, memfds and files of other
/// mount namespaces can be opened only through /proc/PID of such a process. All answers are
/// snapshots: a process may end at any time, and then what is opened below its folder in /proc
/// fails.

namespace csink::symbolizer {

/// Fields of /proc/PID/stat (proc(5)) that identify a process and tell whether it runs.
struct ProcessStat {
  /// A letter: 'R' runs, 'S' sleeps, ...
  char state = 0;  ///< 'Z' and 'X': the process has ended
  /// The parent's pid.
  std::uint32_t parent = 0;
  std::uint64_t start_ticks = 0;  ///< Since boot, in clock ticks (field 22)
  /// Whether the process has ended and only waits to be reaped: its memory and files are gone.
  bool ended() const noexcept { return state == 'Z' || state == 'X'; }
};

/// Reads `folder`/stat; `folder` is like "/proc/42". nullopt: there is no such process, or it just
/// ended.
/// Threads: any.
std::optional<ProcessStat> ReadProcessStat(const std::string& folder);

/// Whether `pid` is a process that started at `start_ticks`, which may have been read in its own
/// time namespace. `proc` is "/proc". False if either start is not known.
bool HasStart(const std::string& proc, std::uint32_t pid, std::uint64_t start_ticks);

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

/// The executable mappings of the file `path` in the process, at most 64. Empty if the process has
/// ended, or is another user's. Names are decoded as in the profile (core/util/maps_line.h).
std::vector<MappedFile> FindMappings(const std::string& proc, std::uint32_t pid,
                                     const std::string& path);

}  // namespace csink::symbolizer

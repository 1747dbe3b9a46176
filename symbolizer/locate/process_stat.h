#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace csink::symbolizer

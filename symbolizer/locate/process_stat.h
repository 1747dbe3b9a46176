#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace csink::symbolizer {

/// What /proc/PID/stat says.
struct ProcessStat {
  char state = 0;  ///< 'Z' and 'X': it has ended
  std::uint32_t parent = 0;
  std::uint64_t start_ticks = 0;  ///< Since boot
  bool ended() const noexcept { return state == 'Z' || state == 'X'; }
};

/// Of the process whose folder that is ("/proc/42"); nothing: there is none, or it ended just now.
/// Threads: any.
std::optional<ProcessStat> ReadProcessStat(const std::string& folder);

}  // namespace csink::symbolizer

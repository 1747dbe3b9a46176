#pragma once

#include <cstdint>
#include <string>

/// File: how often the kernel killed a process because there was no memory.

namespace csink::tool {

/// Numbers since the start of the cgroup and of the machine. 0 also where a number is not readable:
/// only differences are used.
struct OomKills {
  /// In the cgroup of this process: "oom_kill" of memory.events (cgroup v2) or of
  /// memory.oom_control (v1). Descendants count in v2 only.
  std::uint64_t cgroup = 0;
  /// On the whole machine: "oom_kill" of /proc/vmstat (Linux 4.13).
  std::uint64_t machine = 0;

  /// What was added since `before`; each number at least 0.
  OomKills Since(const OomKills& before) const;
};

/// Reads the numbers. `root` is a folder that stands for "/", for tests. Never fails. Cost: three
/// small files. Threads: any.
OomKills ReadOomKills(const std::string& root = "");

}  // namespace csink::tool

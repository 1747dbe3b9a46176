#pragma once

#include <cstdint>
#include <string>

/// File: how often the kernel killed a process of the cgroup because there was no memory.

namespace csink::tool {

/// Numbers since the start of the cgroup. 0 also where a number is not readable: only differences
/// are used. Those of the whole machine say nothing of the command.
struct OomKills {
  /// In the cgroup of this process: "oom_kill" of memory.events (cgroup v2) or of
  /// memory.oom_control (v1). Descendants count in v2 only.
  std::uint64_t cgroup = 0;

  /// What was added since `before`; each number at least 0.
  OomKills Since(const OomKills& before) const;
};

/// Reads the numbers. `root` is a folder that stands for "/", for tests. Never fails. Cost: two
/// small files. Threads: any.
OomKills ReadOomKills(const std::string& root = "");

}  // namespace csink::tool

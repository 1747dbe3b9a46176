#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// File: `csink merge` (docs/csink.md).

namespace csink::tool {

struct MergeCommandOptions {
  /// The file to write. An existing one is replaced.
  std::string output;
  /// Spools, folders of spools, pids.
  std::vector<std::string> targets;
  /// Number of rows of processes, at most 2^20; the other processes are summed up in one more row.
  std::size_t max_processes = 4096;
  /// The same for threads.
  std::size_t max_threads = 16384;
  /// Keep samples of different threads apart, which needs more memory and a larger file.
  bool per_thread = false;
};

/// Runs `csink merge`: writes the sum of many spools to one file, which every command reads like a
/// spool. Only the sum and one spool are in memory at a time. Returns the exit status: 0;
/// kExitUsage if the file's name is that of a tree's records; kExitNothing if there is nothing to
/// merge, the file cannot be written, or a spool could not be read (the others are merged).
int RunMerge(const MergeCommandOptions& options);

}  // namespace csink::tool

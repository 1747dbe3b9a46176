#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace csink::tool {

struct MergeCommandOptions {
  /// The file to write. An existing one is replaced.
  std::string output;
  std::vector<std::string> targets;  ///< Spools, folders of spools, pids
  /// Number of rows of processes, at most 2^20; the other processes are summed up in one more row.
  std::size_t max_processes = 4096;
  /// The same for threads.
  std::size_t max_threads = 16384;
  bool per_thread = false;  ///< Keep samples of different threads apart
};

/// Runs `csink merge`: writes the sum of many spools to one file, which every command reads like a
/// spool. Only the sum and one spool are in memory at a time. Returns the exit status: 0;
/// kExitUsage if the file's name is that of a tree's records; kExitNothing if there is nothing to
/// merge, the file cannot be written, or a spool could not be read (the others are merged).
int RunMerge(const MergeCommandOptions& options);

}  // namespace csink::tool

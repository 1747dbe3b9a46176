#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace csink::tool {

struct MergeCommandOptions {
  std::string output;
  std::vector<std::string> targets;  ///< Spools, folders of spools, process numbers
  std::size_t max_processes = 4096;  ///< Rows; what is beyond is summed in one more
  std::size_t max_threads = 16384;
  bool per_thread = false;  ///< Samples stay divided by thread
};

/// `csink merge`: the sum of many spools as one file, which every command takes for a spool. One
/// spool is in memory at a time, beside the sum. Returns the exit status: 0; kExitNothing when
/// there is nothing to merge, it cannot be written, or a spool could not be read (the others are
/// merged).
int RunMerge(const MergeCommandOptions& options);

}  // namespace csink::tool

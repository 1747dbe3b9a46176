#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/output.h"
#include "symbolizer/commands/run_options.h"
#include "symbolizer/commands/view.h"
#include "symbolizer/report/tables/report.h"

namespace csink::tool {

struct RunOptions {
  OutputOptions output;  ///< Without a file: stderr.
  View view;
  Profiling profiling;               ///< Settings for the programs of the process tree
  bool keep = false;                 ///< Do not remove the spools.
  std::vector<std::string> command;  ///< Program and arguments.
};

/// Runs `csink run`: starts the program with the agent preloaded, waits for its end, and writes one
/// report of the whole process tree. Returns the program's exit status; 128 + its signal; 127 (not
/// found); 126 (cannot be executed); kExitUsage (invalid events or baseline: the program is not
/// started); or kExitSlower if the program's status is 0.
int RunProgram(const RunOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/launch/run_options.h"
#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink run`.

namespace csink::tool {

struct RunOptions {
  /// Without a file: stderr, because stdout is the program's.
  OutputOptions output;
  View view;
  /// Settings for the programs of the process tree.
  Profiling profiling;
  /// Do not remove the spools.
  bool keep = false;
  /// Program and arguments. Not empty.
  std::vector<std::string> command;
};

/// Runs `csink run`: starts the program with the agent preloaded, waits for its end, and writes one
/// report of the whole process tree. Returns the program's exit status; 128 + its signal; 127 (not
/// found); 126 (cannot be executed); kExitUsage (invalid events or baseline: the program is not
/// started); or kExitSlower if the program's status is 0.
int RunProgram(const RunOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

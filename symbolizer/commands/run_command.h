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
  Profiling profiling;               ///< What is set for the programs of the tree
  bool keep = false;                 ///< Leave the spools.
  std::vector<std::string> command;  ///< Program and arguments.
};

/// `csink run`: starts the program with the agent preloaded, waits, and writes one
/// report of its whole process tree. Returns the program's exit status, 128 + its
/// signal, 127 (not found), 126 (cannot be executed), kExitUsage (events or a baseline that cannot
/// be used: the program is not started), or kExitSlower where the program's own is 0.
int RunProgram(const RunOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

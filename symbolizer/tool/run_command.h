#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/report.h"
#include "symbolizer/tool/output.h"

namespace csink::tool {

struct RunOptions {
  OutputOptions output;              ///< Without a file: stderr.
  std::string events;                ///< CSINK_EVENTS; empty: as it is
  std::string source;                ///< CSINK_SOURCE; empty: as it is
  bool keep = false;                 ///< Leave the spools.
  std::vector<std::string> command;  ///< Program and arguments.
};

/// `csink run`: starts the program with the agent preloaded, waits, and writes one
/// report of its whole process tree. Returns the program's exit status, 128 + its
/// signal, 127 (not found) or 126 (cannot be executed).
int RunProgram(const RunOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

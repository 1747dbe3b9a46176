#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/terminal.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

namespace csink::tool {

struct TopOptions {
  std::string pid;
  double interval_seconds = 1;
  bool once = false;
  bool cumulative = false;  ///< Since the start; false: only the last interval
  bool tree = false;        ///< Include descendants
  report::By by = report::By::kFunctions;
  std::string sort;
  std::vector<std::string> events;
  std::size_t top = 20;
  Colour colour = Colour::kAuto;
};

/// Runs `csink top`: shows a running program's profile repeatedly until the program ends, then its
/// last state. Reads only the spool and does not disturb the program. Returns the exit status: 0;
/// kExitNothing if there is no such process or it is not profiled; kExitUsage.
int RunTop(const TopOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

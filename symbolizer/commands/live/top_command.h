#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/console/terminal.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: `csink top`.

namespace csink::tool {

struct TopOptions {
  /// A decimal number.
  std::string pid;
  /// Time between two looks, 0.1 to 86400.
  double interval_seconds = 1;
  /// One look, as soon as there are samples.
  bool once = false;
  /// Show everything since the start; otherwise only the last interval. The key `c` switches.
  bool cumulative = false;
  /// Include the descendants of the process.
  bool tree = false;
  report::By by = report::By::kFunctions;
  /// Sort column, and the columns that are shown (select_events.h). If empty, the first event and
  /// all columns.
  std::string sort;
  /// Only these columns.
  std::vector<std::string> events;
  /// Rows of the table at most; on a terminal also limited by its height.
  std::size_t top = 20;
  Colour colour = Colour::kAuto;
};

/// Runs `csink top`: shows a running program's profile repeatedly until the program ends, then its
/// last state. Reads only the spool and /proc and does not disturb the program. Returns the exit
/// status: 0; kExitNothing if there is no such process, it is not profiled or is another user's, or
/// the output cannot be written; kExitUsage.
int RunTop(const TopOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

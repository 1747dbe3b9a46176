#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/console/terminal.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: `csink diff` (docs/diff.md).

namespace csink::tool {

struct DiffOptions {
  /// The earlier runs. A target may stand for several runs (RunsIn).
  std::vector<std::string> a;
  /// The later runs.
  std::vector<std::string> b;
  /// Without --a and --b: exactly two, A and B.
  std::vector<std::string> both;
  /// "text", "json", "csv" or "html". Empty: html if the file is called *.html, else text.
  std::string format;
  std::string file;  ///< Empty: stdout
  /// Rows: functions, lines, modules or waits.
  report::By by = report::By::kFunctions;
  /// Rows at most (text).
  std::size_t top = 20;
  /// Rows below are shown only if they changed (text), 0 to 100.
  double min_share_percent = 1;
  /// A function whose code is shown side by side, as `csink annotate` takes it; empty: none.
  std::string why;
  /// Largest increase of the CPU time in percent that is allowed. Nothing is checked if negative.
  double fail_if_slower = -1;
  Colour colour = Colour::kAuto;
  /// No progress line on stderr.
  bool quiet = false;
};

/// Runs `csink diff`: compares the runs B with the earlier runs A. Returns the exit status: 0;
/// kExitNothing if a run cannot be read, the output cannot be written, or nothing can be compared;
/// kExitUsage; kExitSlower.
int RunDiff(DiffOptions options, const report::Resolver& resolve);

}  // namespace csink::tool

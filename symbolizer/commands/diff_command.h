#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/terminal.h"
#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

namespace csink::tool {

struct DiffOptions {
  std::vector<std::string> a;  ///< The earlier runs
  std::vector<std::string> b;
  std::vector<std::string> both;  ///< Without --a and --b: exactly two, A and B
  std::string format = "text";    ///< text, json, csv
  std::string file;               ///< Empty: stdout
  report::By by = report::By::kFunctions;
  std::size_t top = 20;
  double min_share_percent = 1;
  double fail_if_slower = -1;  ///< Percent; negative: no check
  Colour colour = Colour::kAuto;
  bool quiet = false;
};

/// Runs `csink diff`: compares the runs B with the earlier runs A. Returns the exit status: 0;
/// kExitNothing if a run cannot be read or nothing can be compared; kExitUsage; kExitSlower.
int RunDiff(DiffOptions options, const report::Resolver& resolve);

}  // namespace csink::tool

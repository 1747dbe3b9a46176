#pragma once

#include <string>
#include <vector>

#include "core/util/result.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink diff --format html` (docs/html.md).

namespace csink::tool {

/// A comparison of functions, and the runs that it was made of.
struct ComparedRuns {
  const report::Comparison& comparison;
  const std::vector<report::Baseline>& now;
  const std::vector<report::Baseline>& then;
  /// The earlier and the later runs as named on the command line (RunsIn).
  const std::vector<std::string>& a;
  const std::vector<std::string>& b;
};

/// Writes the page to `fd`. The spools of each side are read again, with stacks, threads and marks,
/// and added up; source files and code of the hottest functions are read from this machine. A side
/// with a JSON report has no samples: the page says so. Errors: carry errno.
Result<void> WriteDiffPage(int fd, const ComparedRuns& runs, bool quiet,
                           const report::Resolver& resolve);

}  // namespace csink::tool

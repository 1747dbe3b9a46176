#pragma once

#include <optional>
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
  /// The sums of the runs of A and of B (SumOfRuns); nullopt: a side has a JSON report.
  const std::optional<report::Report>& was;
  const std::optional<report::Report>& is;
};

/// Writes the page to `fd`. Source files and code of the hottest functions are read from this
/// machine. A side with a JSON report has no samples: the page says so. Errors: carry errno.
Result<void> WriteDiffPage(int fd, const ComparedRuns& runs, const report::Resolver& resolve);

}  // namespace csink::tool

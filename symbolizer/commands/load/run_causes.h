#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "symbolizer/report/causes/find_causes.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/data/change_causes.h"
#include "symbolizer/report/tables/report.h"

namespace csink::tool {

/// One side of a comparison whose change is to be explained. What it refers to must outlive it.
struct ExplainedSide {
  const std::vector<report::Baseline>& runs;
  /// The sum of runs (SumOfRuns); nullopt: not known, so that nothing is said of code.
  const std::optional<report::Report>& sum;
  std::size_t summed = 0;  ///< Number of runs in `sum`
};

/// Finds why the runs `now` took longer than the runs `then` (docs/causes.md). `wanted`: of
/// CodeWanted for the same runs.
std::shared_ptr<const report::ChangeCauses> CausesOf(const report::Comparison& comparison,
                                                     const ExplainedSide& now,
                                                     const ExplainedSide& then,
                                                     const report::WantedCode& wanted,
                                                     const report::Resolver& resolve,
                                                     const report::SideNames& names = {});

}  // namespace csink::tool

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

namespace csink::tool {

/// The sum of all runs of a side of a comparison (`targets` as RunsIn takes them), with callers,
/// threads, marks, inlined functions and addresses. nullopt if a run is a JSON report, which has no
/// samples: the sum of the others would have other numbers than the comparison; also if a spool
/// cannot be read. Prints errors of reading.
std::optional<report::Report> SumOfRuns(const std::vector<std::string>& targets, bool quiet,
                                        const report::Resolver& resolve);

/// The same of spools.
std::optional<report::Report> SumOfSpools(const std::vector<std::string>& spools, bool quiet,
                                          const report::Resolver& resolve);

}  // namespace csink::tool

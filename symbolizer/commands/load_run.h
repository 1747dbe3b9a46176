#pragma once

#include <optional>
#include <string>
#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/tables/report.h"

/// File: earlier runs, to compare with: spools, folders of spools, merged files, JSON reports.

namespace csink::tool {

/// Reads one run; a folder's spools are one together. `label` begins the complaints ("baseline ").
/// nullopt when it cannot be read: complained of.
std::optional<report::Baseline> LoadRun(const std::string& file, const std::string& label,
                                        const report::Resolver& resolve,
                                        const report::BuildOptions& options);

/// The runs that a path means: the path itself; of a folder without spools of its own its trees'
/// folders ("tree.*", as `csink run --keep` leaves them) and JSON reports, each a run.
std::vector<std::string> RunsIn(const std::string& path);

}  // namespace csink::tool

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/tables/report.h"

/// File: loads earlier runs for comparisons: spools, folders of spools, merged files, JSON reports.

namespace csink::tool {

/// Reads one run; all spools in a folder, and in the folders of trees in it, are one run. Error
/// messages begin with `label` ("baseline "). `options` are those of the report that is made of
/// spools; a JSON report is taken as it is. Prints an error and returns nullopt if the run cannot
/// be read or has no samples.
std::optional<report::Baseline> LoadRun(const std::string& file, const std::string& label,
                                        const report::Resolver& resolve,
                                        const report::BuildOptions& options);

/// The spools and merged files that are one run (`file` as LoadRun takes it). Empty for a JSON
/// report, and for what cannot be read.
std::vector<std::string> SpoolsOfRun(const std::string& file);

/// The runs that a path contains: the path itself, or for a folder without spools of its own the
/// folders of process trees in it ("tree.*", as `csink run --keep` leaves them) and JSON reports,
/// each of which is a run. Never empty, and sorted.
std::vector<std::string> RunsIn(const std::string& path);

}  // namespace csink::tool

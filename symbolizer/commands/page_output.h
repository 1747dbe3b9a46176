#pragma once

#include "symbolizer/commands/output.h"
#include "symbolizer/report/tables/report.h"

/// File: writes a report for which files of the profiled program may have to be read.

namespace csink::tool {

/// WriteReport (output.h). In the HTML format, the hottest functions are annotated first: their
/// source files and code are read from this machine, with the prefixes of CSINK_SOURCE_PREFIX.
/// Results as of WriteReport.
bool WriteReportWithSources(const report::Report& report, const OutputOptions& output,
                            const report::Resolver& resolve);

}  // namespace csink::tool

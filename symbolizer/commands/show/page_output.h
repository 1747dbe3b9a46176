#pragma once

#include <vector>

#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/annotate/annotation.h"
#include "symbolizer/report/tables/report.h"

/// File: writes a report for which files of the profiled program may have to be read.

namespace csink::tool {

/// What a report must have for the page, without messages about progress.
View PageView();

/// The hottest functions of the report with their source and code, which are read from this
/// machine. `report` was made for PageView.
std::vector<annotate::Annotation> AnnotationsOfPage(const report::Report& report,
                                                    const report::Resolver& resolve);

/// WriteReport (output.h). In the HTML format, the hottest functions are annotated first: their
/// source files and code are read from this machine, with the prefixes of CSINK_SOURCE_PREFIX.
/// Results as of WriteReport.
bool WriteReportWithSources(const report::Report& report, const OutputOptions& output,
                            const report::Resolver& resolve);

}  // namespace csink::tool

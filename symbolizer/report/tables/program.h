#pragma once

#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// Fills what a report says of the program as a whole: command, pid, how it ended, times, source.
void DescribeProgram(Report& report);

}  // namespace csink::report

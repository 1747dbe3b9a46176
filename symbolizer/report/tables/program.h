#pragma once

#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// Fills what a report says about the program: command, pid, end, times, source of the samples.
void DescribeProgram(Report& report);

}  // namespace csink::report

#pragma once

#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// Fills what a report says about the program: command, pid, host, end, state, times, source of the
/// samples. A profile without processes leaves the defaults. If `csink run` measured the whole tree
/// (Profile::tree), its command and times replace the sums over the spools, because those lack
/// processes without a spool.
void DescribeProgram(Report& report);

}  // namespace csink::report

#pragma once

#include "symbolizer/report/tables/report.h"

namespace csink::tool {

/// The csink program: parses its arguments and runs `run`, `report` or `doctor`.
/// Exit codes: 0; 1 nothing to report or not readable; 2 wrong use; `run` exits
/// as its program did.
int RunTool(int argc, char** argv, const report::Resolver& resolve);

}  // namespace csink::tool

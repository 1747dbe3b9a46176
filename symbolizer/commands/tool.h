#pragma once

#include "symbolizer/report/tables/report.h"

/// File: the entry of the tool, apart from main so that tests can call it.

namespace csink::tool {

/// The csink program: parses its arguments and runs a command. Exit codes: 0; 1: nothing to report,
/// or not readable; 2: wrong use; commands may have others. `run` exits with the program's status.
/// `resolve` names addresses; tests pass a fake.
int RunTool(int argc, char** argv, const report::Resolver& resolve);

}  // namespace csink::tool

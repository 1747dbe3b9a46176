#pragma once

#include "compat/utils/options.h"
#include "compat/utils/tool.h"

namespace csink::utils {

/// The main function of a tool: parses the command line, handles --help and --man, and calls `body`
/// otherwise. Returns the exit code. With --json a failure is printed as an object with "error".
/// Standard output is buffered; write errors and exceptions are reported on stderr and return
/// kFailed.
int RunTool(const Tool& tool, int argc, char** argv, int (*body)(const Arguments& arguments));

/// Calls PAPI_library_init(), and prints mistakes in the user's event files. Returns false, with a
/// message on stderr, if the library has another version or cannot start.
bool StartLibrary(const Tool& tool);

}  // namespace csink::utils

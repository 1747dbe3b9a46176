#pragma once

#include "compat/utils/options.h"
#include "compat/utils/tool.h"

namespace csink::utils {

/// A tool's main(): reads the command line, answers --help and --man itself and leaves the rest to
/// `body`, whose exit code it passes on. With --json a failure is an object, too: its "error".
/// Standard output is buffered; what could not be written of it, and what is thrown, is said and
/// ends with kFailed.
int RunTool(const Tool& tool, int argc, char** argv, int (*body)(const Arguments& arguments));

/// PAPI_library_init(); false when it fails, which is said.
bool StartLibrary(const Tool& tool);

}  // namespace csink::utils

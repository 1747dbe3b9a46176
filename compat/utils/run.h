#pragma once

#include <string>

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

/// The text of --help: usage, options, exit codes; filled to 80 columns and ended by a newline.
std::string HelpText(const Tool& tool);

/// The source of the manual page (section 1) with the macros of man(7), from the same table as the
/// help, so that both always agree.
std::string ManPage(const Tool& tool);

}  // namespace csink::utils

#pragma once

#include "symbolizer/query/fetch.h"

namespace csink::tool {

/// Debug files from debuginfod servers, for those who set DEBUGINFOD_URLS; else nobody is asked and
/// nothing is loaded. Debian's libdebuginfod does the work (opened when the first file is wanted);
/// it keeps what it got, and for ten minutes what there was not, in the user's cache folder.
///
/// Empty where the variable is not set, in a program with raised rights (AT_SECURE: whoever set
/// the variable may not be trusted), and for reports that a program waits for: `csink run` and
/// reports at exit take what is here. Profiles can be reported again.
symbolizer::FetchFile DebuginfodFetcher(int argc, const char* const* argv);

}  // namespace csink::tool

#pragma once

#include "symbolizer/names/query/request.h"

/// File: files from debuginfod servers. docs/design/symbolizer.md says why not every report asks
/// for them.

namespace csink::tool {

/// Makes the function that fetches debug files from debuginfod servers if DEBUGINFOD_URLS is set;
/// otherwise nothing is contacted or loaded. Uses Debian's libdebuginfod, opened when the first
/// file is needed. The library caches files, and failed requests for ten minutes, in the user's
/// cache folder. All requests together wait for at most 10 s without an answer; after that, and
/// after the first error that is not "no such file", no more requests are made.
///
/// Returns an empty function if the variable is not set, if the program has more privileges than
/// its user (AT_SECURE: the variable cannot be trusted), and for reports that a program waits for:
/// `csink run` and reports at exit use only local files. A profile can be reported again later. The
/// arguments are those of main.
/// Threads: the function may be called from any thread; one request is made at a time.
symbolizer::FetchFile DebuginfodFetcher(int argc, const char* const* argv);

}  // namespace csink::tool

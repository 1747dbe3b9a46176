#pragma once

#include <cstdio>

#include "compat/atime/measurement.h"
#include "compat/atime/options.h"
#include "compat/atime/program.h"

namespace csink::atime {

/// The lines of the text report that come before the program runs.
void PrintTextHead(std::FILE* out, const Options& options, const Measurement& measurement);
/// The rest of it. libapapi prints on stdout, which becomes `out`.
void PrintTextValues(std::FILE* out, const Measurement& measurement);

/// A line for each event; columns: docs/atime.md.
void PrintCsv(std::FILE* out, const Measurement& measurement);
/// One object; docs/atime.md.
void PrintJson(std::FILE* out, const Options& options, const Measurement& measurement,
               const Ending& ending);

}  // namespace csink::atime

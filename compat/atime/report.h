#pragma once

#include <cstdio>

#include "compat/atime/measurement.h"
#include "compat/atime/options.h"
#include "compat/atime/program.h"

namespace csink::atime {

/// The lines of the text report that are printed before the program runs.
void PrintTextHead(std::FILE* out, const Options& options, const Measurement& measurement);
/// The rest of the text report. libapapi prints on stdout, so descriptor 1 becomes `out` for the
/// rest of the process.
void PrintTextValues(std::FILE* out, const Measurement& measurement);

/// CSV (RFC 4180): a head and one line for each event. docs/atime.md lists the columns.
void PrintCsv(std::FILE* out, const Measurement& measurement);
/// JSON: one object; docs/atime.md lists the keys.
void PrintJson(std::FILE* out, const Options& options, const Measurement& measurement,
               const Ending& ending);

}  // namespace csink::atime

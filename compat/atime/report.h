#pragma once

#include <cstdio>

#include "compat/atime/measurement.h"
#include "compat/atime/options.h"
#include "compat/atime/run_result.h"

namespace csink::atime {

/// The lines of the text report that are printed before the program runs.
void PrintTextHead(std::FILE* out, const Options& options, const Measurement& measurement);
/// The rest of the text report. libapapi prints on stdout, so descriptor 1 becomes `out` for the
/// rest of the process.
void PrintTextValues(std::FILE* out, const Measurement& measurement, const RunResult& result);

/// CSV (RFC 4180): a head and one line for each event. docs/atime.md lists the columns.
void PrintCsv(std::FILE* out, const Measurement& measurement, const RunResult& result,
              const std::optional<EnergyTotal>& idle);
/// JSON: one object; docs/atime.md lists the keys.
void PrintJson(std::FILE* out, const Options& options, const Measurement& measurement,
               const RunResult& result, const std::optional<EnergyTotal>& idle);

/// The reports of several runs: each run's times and total, and the mean of every number with its
/// 95 % interval.
void PrintRepeatedText(std::FILE* out, const std::vector<RunResult>& runs);
void PrintRepeatedCsv(std::FILE* out, const std::vector<RunResult>& runs);
void PrintRepeatedJson(std::FILE* out, const Options& options, const std::vector<RunResult>& runs,
                       const std::optional<EnergyTotal>& idle);

/// The line of text about the idle time.
void PrintIdle(std::FILE* out, const EnergyTotal& idle);
/// An energy with its bounds: "12.3457 J (12.2957 to 12.3957)".
std::string Joules(const BoundedEnergy& energy);

}  // namespace csink::atime

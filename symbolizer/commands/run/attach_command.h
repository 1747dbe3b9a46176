#pragma once

#include <string>

#include "symbolizer/commands/launch/run_options.h"
#include "symbolizer/commands/show/report_command.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink attach`.

namespace csink::tool {

struct AttachOptions {
  /// A decimal number.
  std::string pid;
  /// Settings for csink-attach.
  Profiling profiling;
  /// Form, destination and contents of the report. Its targets are not used.
  ReportOptions report;
  /// Do not remove the spools.
  bool keep = false;
};

/// Runs `csink attach`: samples a running process by csink-attach until it ends, a signal, or the
/// duration is over, and writes a report. The spool of a process that has the agent is reported
/// instead. Returns the exit status: 0; kExitNothing (no such process, perf events refused, nothing
/// sampled); kExitUsage; kExitSlower.
int RunAttach(const AttachOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink export` (docs/formats.md), and what other commands need of its formats.

namespace CLI {
class App;
}

namespace csink::tool {

struct ExportOptions {
  /// Format and destination; its `details` are filled in by RunExport.
  OutputOptions output;
  /// Which samples and how much detail.
  View view;
  /// As in the spool; modifiers may be omitted. If empty, all events are written.
  std::string event;
  /// For csv only: "samples", "functions", "lines", "threads" or "processes". If empty, samples.
  std::string table;
  /// Spools, folders of spools, pids.
  std::vector<std::string> targets;
};

/// Adds --format with all names of core/util/report_format.h.
void AddFormatOption(CLI::App& command, std::string& format);
/// Adds the command `export` with its options. `format` receives the format's name.
void AddExport(CLI::App& app, std::string& format, ExportOptions& options);

/// Whether a report in this format can be written to its destination. Prints an error and returns
/// false if the format is binary and the destination is a terminal, or a stream that also has other
/// lines (stderr).
bool HasPlaceFor(const OutputOptions& output);

/// Runs `csink export`: writes a profile in another program's format. Returns the exit status: 0;
/// kExitNothing (nothing to export, or not readable or writable); kExitUsage (also for an unknown
/// event or module).
int RunExport(ExportOptions options, const report::Resolver& resolve);

}  // namespace csink::tool

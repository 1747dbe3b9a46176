#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/output.h"
#include "symbolizer/commands/view.h"
#include "symbolizer/report/tables/report.h"

namespace CLI {
class App;
}

namespace csink::tool {

struct ExportOptions {
  OutputOptions output;
  View view;
  std::string event;                 ///< As in the spool, modifiers may be omitted; empty: all
  std::string table;                 ///< For csv only; empty: functions
  std::vector<std::string> targets;  ///< Spools, folders of spools, pids
};

/// Adds --format with all names of core/util/report_format.h.
void AddFormatOption(CLI::App& command, std::string& format);
void AddExport(CLI::App& app, std::string& format, ExportOptions& options);

/// Whether a report in this format can be written to its destination. Prints an error and returns
/// false if the format is binary and the destination is a terminal or a stream with other lines.
bool HasPlaceFor(const OutputOptions& output);

/// Runs `csink export`: writes a profile in another program's format (docs/formats.md). Returns the
/// exit status: 0, kExitNothing, or kExitUsage (also for an unknown event or module).
int RunExport(ExportOptions options, const report::Resolver& resolve);

}  // namespace csink::tool

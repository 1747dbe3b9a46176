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
  std::string event;                 ///< As in the spool, modifiers may be left out; empty: all
  std::string table;                 ///< csv; empty: functions
  std::vector<std::string> targets;  ///< Spools, folders of spools, process numbers
};

/// `--format`, with all names of core/util/report_format.h.
void AddFormatOption(CLI::App& command, std::string& format);
void AddExport(CLI::App& app, std::string& format, ExportOptions& options);

/// Whether a report of this format may go where it is to go; complains when it is binary and that
/// is a terminal, or where other lines are.
bool HasPlaceFor(const OutputOptions& output);

/// `csink export`: the whole of a profile in somebody else's format (docs/formats.md). Returns the
/// exit status: 0; kExitNothing; kExitUsage, no such event or module too.
int RunExport(ExportOptions options, const report::Resolver& resolve);

}  // namespace csink::tool

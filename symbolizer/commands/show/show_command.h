#pragma once

#include <string>

#include "symbolizer/commands/show/annotate_command.h"
#include "symbolizer/commands/show/output.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink show`: what a profile knows of one name.

namespace CLI {
class App;
}

namespace csink::tool {

struct ShowOptions {
  /// kText (Markdown) or kJson.
  OutputOptions output;
  /// For the sources: FROM=TO.
  AnnotateChoices choices;
  /// A spool, a folder of spools, a process number.
  std::string target;
  /// An id of a digest, or a name.
  std::string name;
};

/// Adds the command with its options. `format` is the format's name, as for AddAnnotate.
void AddShow(CLI::App& app, std::string& format, ShowOptions& options);

/// Runs `csink show`. Returns the exit status: 0, 1 (no profile, or no such name), 2 (wrong use).
int RunShow(const ShowOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

#pragma once

#include "symbolizer/commands/diff_command.h"
#include "symbolizer/commands/top_command.h"

namespace CLI {
class App;
}

namespace csink::tool {

/// The command line options of `csink diff` and `csink top`.
void AddDiffCommand(CLI::App& app, DiffOptions& options);
void AddTopCommand(CLI::App& app, TopOptions& options);

}  // namespace csink::tool

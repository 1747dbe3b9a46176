#pragma once

#include "symbolizer/commands/diff_command.h"
#include "symbolizer/commands/top_command.h"

/// File: options of two commands, apart from the commands themselves, so that their sources need no
/// parser.

namespace CLI {
class App;
}

namespace csink::tool {

/// Adds the command `diff` with its options, which write into `options`.
void AddDiffCommand(CLI::App& app, DiffOptions& options);
/// The same for the command `top`.
void AddTopCommand(CLI::App& app, TopOptions& options);

}  // namespace csink::tool

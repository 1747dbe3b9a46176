#pragma once

#include "symbolizer/tool/diff_command.h"
#include "symbolizer/tool/top_command.h"

namespace CLI {
class App;
}

namespace csink::tool {

/// The command line of `csink diff` and `csink top`.
void AddDiffCommand(CLI::App& app, DiffOptions& options);
void AddTopCommand(CLI::App& app, TopOptions& options);

}  // namespace csink::tool

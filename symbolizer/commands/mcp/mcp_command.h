#pragma once

/// File: `csink mcp`, the tools of csink for programs that speak the Model Context Protocol.

namespace CLI {
class App;
}

namespace csink::tool {

struct McpOptions {
  /// The tool `run` may start programs.
  bool allow_run = false;
};

/// Adds the command with its options.
void AddMcp(CLI::App& app, McpOptions& options);

/// Answers the messages of standard input on standard output until the end of the input. Returns
/// the exit status: 0, 1 (no folder for profiles, or standard output is closed).
int RunMcp(const McpOptions& options);

}  // namespace csink::tool

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: `csink view`: the HTML page in the user's browser.

namespace CLI {
class App;
}

namespace csink::tool {

/// The options of `csink view`.
struct ViewOptions {
  /// At most one file, folder or pid. If empty: the spools of the process that wrote last.
  std::vector<std::string> targets;
  /// Print the address only.
  bool no_browser = false;
  /// Port of a live page; 0: a free one.
  std::uint16_t port = 0;
  /// Of a pid: include its descendants.
  bool tree = false;
};

/// A live page ends when no request came for this long. Browsers let hidden pages run only once a
/// minute.
inline constexpr double kPageIsGoneSeconds = 150;

/// Adds the command `view` with its options.
void AddView(CLI::App& app, ViewOptions& options);

/// Runs `csink view`. A file, a folder, or the pid of an ended process: writes the page into a
/// private folder, where it stays, and opens it. A running process: serves a live page until the
/// program has ended, the page is gone, or a signal arrives. Prints the address on stdout. Returns
/// the exit status: 0, also if no browser could be started; kExitNothing: no samples, not readable,
/// the page cannot be written, or the port is in use; kExitUsage.
int RunView(const ViewOptions& options, const report::Resolver& resolve);

}  // namespace csink::tool

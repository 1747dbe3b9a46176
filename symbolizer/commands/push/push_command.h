#pragma once

#include <string>
#include <vector>

#include "symbolizer/commands/load/view.h"
#include "symbolizer/commands/push/push_profile.h"
#include "symbolizer/report/tables/report.h"

/// File: `csink push` (docs/push.md).

namespace CLI {
class App;
}

namespace csink::tool {

/// Exit status: the receiver did not take everything.
inline constexpr int kExitNotPushed = 4;

struct PushOptions {
  PushTarget target;
  std::string to;               ///< "otlp" or "pyroscope"; "": by the URL
  double timeout_seconds = 0;   ///< 0: the variables decide
  double interval_seconds = 0;  ///< 0: send once
  bool tree = false;            ///< With an interval: also all descendants
  bool inlines = false;         ///< Inlined functions are frames of their own
  bool flat = false;            ///< Omit callers
  std::string phase;            ///< Only samples after this mark; "": all
  /// The URL, if the first one contains "://", then spools, folders, pids.
  std::vector<std::string> targets;
};

/// Adds the command `push` with its options.
void AddPush(CLI::App& app, PushOptions& options);

/// Runs `csink push`: sends the sum of profiles, or with an interval the growth of a running
/// process until it ends. Files are never removed. Returns the exit status: 0; kExitNothing
/// (nothing to send, or not readable, or sending is impossible in this build); kExitUsage;
/// kExitNotPushed.
int RunPush(PushOptions options, const report::Resolver& resolve);

}  // namespace csink::tool

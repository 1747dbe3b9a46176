#pragma once

#include <string>
#include <vector>

/// File: `csink ctl`: sends commands to a running program (docs/control.md).

namespace csink::tool {

struct CtlOptions {
  /// Path of the control FIFO (CSINK_CONTROL), or a pid.
  std::string target;
  /// The words of the command, for instance "mark", "solve".
  std::vector<std::string> command;
  /// Seconds to wait for the answer and for other csink ctl. At most 1e9 (checked by the option),
  /// which fits into a clock.
  double timeout_seconds = 30;
};

/// Exit status: the program answered "error ...".
inline constexpr int kExitRefused = 1;
/// Exit status: no process reads the FIFO, or no answer came in time.
inline constexpr int kExitNoAnswer = 3;

/// Runs `csink ctl`: sends one command to the control FIFO of a running program and prints the
/// answer. Returns the exit status: 0, one of the above, or kExitUsage.
int RunCtl(const CtlOptions& options);

}  // namespace csink::tool

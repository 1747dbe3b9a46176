#pragma once

#include <string>
#include <vector>

namespace csink::tool {

struct CtlOptions {
  std::string target;                ///< A FIFO or a pid
  std::vector<std::string> command;  ///< The words of the command
  double timeout_seconds = 30;  ///< At most 1e9 (checked by the option), which fits into a clock
};

inline constexpr int kExitRefused = 1;   ///< The program answered "error ...".
inline constexpr int kExitNoAnswer = 3;  ///< No process reads the FIFO, or no answer came in time.

/// Runs `csink ctl`: sends one command to the control FIFO of a running program and prints the
/// answer. Returns the exit status: 0, one of the above, or kExitUsage.
int RunCtl(const CtlOptions& options);

}  // namespace csink::tool

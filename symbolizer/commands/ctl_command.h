#pragma once

#include <string>
#include <vector>

namespace csink::tool {

struct CtlOptions {
  std::string target;                ///< A fifo, or a process number
  std::vector<std::string> command;  ///< Joined by blanks
  double timeout_seconds = 30;       ///< Up to 1e9 (the option is checked); a clock can hold that
};

inline constexpr int kExitRefused = 1;   ///< The program answered "error ...".
inline constexpr int kExitNoAnswer = 3;  ///< Nobody serves the fifo, or no answer came in time.

/// `csink ctl`: sends one command to a running program's control fifo and prints the answer.
/// Returns the exit status: 0, or one of the above, or kExitUsage.
int RunCtl(const CtlOptions& options);

}  // namespace csink::tool

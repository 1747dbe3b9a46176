#pragma once

#include <string>
#include <utility>
#include <vector>

/// File: runs csink itself as a child and takes what it prints: a damaged profile, or memory that
/// runs out, ends the child and not the server.

namespace csink::tool::mcp {

struct OwnCommand {
  std::vector<std::string> arguments;                            ///< Of csink
  std::vector<std::pair<std::string, std::string>> environment;  ///< Set in addition
  /// Wall time after which the child, and the program that it runs, get SIGTERM; kGraceSeconds
  /// later SIGKILL. Greater than 0.
  double seconds = 60;
};
inline constexpr double kGraceSeconds = 10;

struct OwnOutput {
  int status = -1;       ///< Exit status, 128 + signal; -1: not started
  bool is_late = false;  ///< It was ended
  std::string out;       ///< The first kMostOutput bytes
  std::string err;       ///< The last kMostOutput bytes
};
inline constexpr std::size_t kMostOutput = 64 * 1024;

/// Runs it to its end, with /dev/null as standard input. Threads: one at a time.
OwnOutput RunOwn(const OwnCommand& command);

}  // namespace csink::tool::mcp

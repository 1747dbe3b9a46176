#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/util/preloadable.h"

/// File: starts programs under libagent.so: finds the agent, and makes the environment of the
/// program.

namespace csink::tool {

/// The absolute path of the agent: $CSINK_AGENT, else relative to this program, so that an
/// installed tree can be moved. Prints an error and returns nullopt if there is none, or if its
/// path has a blank or colon, which separate entries of LD_PRELOAD (ld.so(8)).
std::optional<std::string> FindAgent();

/// The absolute path of an installed file of csink, relative to this program: `file` below the
/// folder of libraries or below libexec/countersink. `build_place` is its folder in a build tree,
/// relative to this program's folder. Empty if the file is not found.
std::string FindBeside(const std::string& file, const std::string& build_place);

/// The absolute path of a program that users do not start: csink-attach or csink-meter. It is
/// installed in libexec/countersink; in a build tree it lies beside the agent. With $CSINK_AGENT,
/// that of the same installation is preferred. Empty if it is not found; nothing is printed.
std::string FindHelper(const std::string& name);

/// Why a search for `file` of this installation found nothing: the folder that this process may not
/// enter, or "FILE was not found" followed by `otherwise`.
std::string WhyNotFound(const std::string& file, const std::string& otherwise);

/// The absolute path of csink-attach, which samples a process from outside. Empty if it is not
/// found; nothing is printed.
std::string FindAttacher();

/// Variables and their new values.
using Changes = std::vector<std::pair<std::string, std::string>>;

/// This process's environment with `changes` applied, and `agent` as the first entry of LD_PRELOAD.
/// With CSINK_CRITICAL libcsink-critical.so is the second. Other entries remain behind them.
/// Without an agent, entries of libagent.so are removed from LD_PRELOAD. Owns:    all texts; data()
/// is valid as long as the object.
class Environment {
 public:
  /// `agent` is an absolute path, or empty. Values in `changes` replace those of this process.
  Environment(const std::string& agent, const Changes& changes);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// For execve(2) and posix_spawn(3): ends in a null pointer.
  char* const* data() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// The file that a command refers to, searched in PATH as execvp(3) does. A command with a '/' is
/// returned as it is, whether the file exists or not. Empty if PATH has no such executable file.
std::string FindProgram(const std::string& command);

/// What prevents the agent from being preloaded into the program `path`. kNone also if the file
/// cannot be read.
PreloadObstacle ObstacleOf(const std::string& path);

/// Why a program cannot be profiled by preloading, as words to follow its name ("is statically
/// linked"). Empty if no reason was found, or if the file cannot be read.
std::string WhyNotPreloadable(const std::string& path);

}  // namespace csink::tool

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// File: starts programs under libagent.so.

namespace csink::tool {

/// The path of the agent: $CSINK_AGENT, else relative to this program, so that an installed tree
/// can be moved. Prints an error if there is none.
std::optional<std::string> FindAgent();

/// The path of an installed library of csink, relative to this program. `build_place` is its path
/// in a build tree, relative to this program's folder. Empty: not found.
std::string FindBeside(const std::string& library, const std::string& build_place);

using Changes = std::vector<std::pair<std::string, std::string>>;

/// This process's environment with `changes` applied, and `agent` as the first entry of LD_PRELOAD.
class Environment {
 public:
  Environment(const std::string& agent, const Changes& changes);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  char* const* data() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// The file that a command refers to, searched in PATH as execvp(3) does; empty: none.
std::string FindProgram(const std::string& command);

/// Why a program cannot be profiled by preloading, as words to follow its name ("is statically
/// linked"); empty: no reason found.
std::string WhyNotPreloadable(const std::string& path);

}  // namespace csink::tool

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// File: what it takes to start a program under libagent.so.

namespace csink::tool {

/// The agent: $CSINK_AGENT, else found from this program's own place, so that an
/// installed tree can be moved. Complains when there is none.
std::optional<std::string> FindAgent();

/// An installed library of ours, from this program's own place; `build_place`: where a build
/// tree has it, from this program's folder. Empty: none.
std::string FindBeside(const std::string& library, const std::string& build_place);

using Changes = std::vector<std::pair<std::string, std::string>>;

/// This process's environment with variables set, and `agent` put first in LD_PRELOAD.
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

/// The file that a command means, by PATH as execvp does; empty: none.
std::string FindProgram(const std::string& command);

/// Why a program cannot be profiled by preloading, in words that follow its name
/// ("is statically linked"); empty: no reason seen.
std::string WhyNotPreloadable(const std::string& path);

}  // namespace csink::tool

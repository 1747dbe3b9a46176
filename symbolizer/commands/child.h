#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace csink::tool {

/// How a child ended.
struct Ended {
  int spawn_errno = 0;  ///< Not 0: it was never started.
  int status = 0;       ///< As waitpid says.
  rusage usage{};       ///< Of the child and all descendants that were waited for.
  std::uint64_t wall_ns = 0;

  /// What a shell would say: its exit status, or 128 + its signal.
  int ExitCode() const;
};

/// Runs a program to its end. Ctrl-C and Ctrl-\ reach it from the terminal
/// itself; signals that somebody sends to us (kill) are handed on to it. We
/// survive both, to report. `stderr_fd`: what its stderr is; below 0: ours.
/// Threads: the only one of the process.
Ended RunChild(const std::vector<std::string>& command, char* const* environment,
               int stderr_fd = -1);

}  // namespace csink::tool

#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace csink::tool {

/// How a child ended.
struct Ended {
  int spawn_errno = 0;  ///< Not 0: the child was not started.
  int status = 0;       ///< As waitpid(2) returns it.
  rusage usage{};       ///< Of the child and all descendants that were waited for.
  std::uint64_t wall_ns = 0;

  /// The status as a shell reports it: the exit status, or 128 + signal number.
  int ExitCode() const;
};

/// Runs a program and waits for its end. The terminal sends Ctrl-C and Ctrl-\ to the child
/// directly; signals sent to this process with kill(2) are passed on. This process survives both,
/// because it must still write the report. `stderr_fd` becomes the child's stderr; negative: the
/// stderr of this process.
/// Threads: the process must have only one.
Ended RunChild(const std::vector<std::string>& command, char* const* environment,
               int stderr_fd = -1);

}  // namespace csink::tool

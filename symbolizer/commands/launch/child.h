#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "symbolizer/commands/launch/oom_kills.h"

/// File: runs a program and measures it.

namespace csink::tool {

/// How a child ended.
struct Ended {
  /// errno of the failed start. 0 if the child was started.
  int spawn_errno = 0;
  /// The child's number; 0: it was not started.
  pid_t pid = 0;
  /// As waitpid(2) returns it.
  int status = 0;
  std::uint64_t end_monotonic_ns = 0;  ///< When the wait returned
  /// CPU time and other use of the child and all descendants that were waited for (wait4(2)).
  rusage usage{};
  /// From before the start to the end, CLOCK_MONOTONIC, nanoseconds.
  std::uint64_t wall_ns = 0;
  /// Processes that the kernel killed for lack of memory in this time.
  OomKills oom_kills{};

  /// The status as a shell reports it: the exit status, or 128 + signal number.
  int ExitCode() const;
};

/// Descriptors that become a child's stdin, stdout and stderr. Negative: that of this process.
struct Streams {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// Runs a program and waits for its end. `command` is the program, searched in PATH, and its
/// arguments. The terminal sends Ctrl-C and Ctrl-\ to the child directly; signals sent to this
/// process with kill(2) are passed on. This process survives both, because it must still write the
/// report.
///
/// The child starts with the signal dispositions and the mask that this process had at the call.
/// Both are restored here before RunChild returns.
/// `started` is called with the child's number as soon as it runs, `on_end` when it is a zombie,
/// whose status others can still read; neither if it could not be started. Threads: the process
/// must have only one, because signal handlers and one global variable are used.
Ended RunChild(const std::vector<std::string>& command, char* const* environment,
               const Streams& streams = {}, const std::function<void(pid_t)>& started = {},
               const std::function<void()>& on_end = {});

}  // namespace csink::tool

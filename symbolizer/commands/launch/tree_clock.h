#pragma once

#include <cstdint>

#include "symbolizer/commands/launch/child_counter.h"

/// File: the CPU time of a process tree, also of processes without a wait call of their parent.

namespace csink::tool {

/// Counts the CPU time (user and system) of the next child of this process: from its first execve
/// on, with all its descendants.
///
/// wait4(2) returns only the time of descendants that their parents waited for. Children of a
/// process that ignores SIGCHLD, and processes that the end of a pid namespace killed, are missing
/// there; the sandboxes of browsers use both. The kernel adds an inherited counter up in any case.
/// Time after the execve of a setuid program is not counted.
///
/// Owns:    one descriptor, closed on exec.
/// Threads: one at a time. Signals: not safe.
class TreeClock {
 public:
  /// Where perf events are refused, NowNs returns 0.
  TreeClock();
  /// The time until now, in nanoseconds; 0: unknown.
  std::uint64_t NowNs() const;

 private:
  ChildCounter counter_;
};

}  // namespace csink::tool

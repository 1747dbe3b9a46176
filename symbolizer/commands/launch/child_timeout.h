#pragma once

#include <sys/types.h>

/// File: a limit for the run time of a child.

namespace csink::tool {

/// Whether a child of this process has ended, reaped or not. Does not reap it. Threads: any.
bool HasEnded(pid_t child);

/// Waits for the end of a child of this process, at most `seconds` of wall time; then kills it and
/// all its descendants with SIGKILL. Does not reap the child. Returns whether it was killed.
/// Descendants are stopped first, so that they start no others meanwhile. Those whose parent has
/// ended before belong to init and are not found.
/// Threads: any. Signals: not safe (heap).
bool KillAfter(pid_t child, double seconds);

/// Sends SIGTERM to all descendants of a child of this process, not to itself. Those that start or
/// lose their parent meanwhile may be missed. Threads: any. Signals: not safe (heap).
void EndDescendants(pid_t child);

}  // namespace csink::tool

#pragma once

#include <sys/types.h>

#include "core/util/unique_fd.h"

/// File: a process of a profiled tree that executes a program into which libagent.so cannot be
/// preloaded. The agent's exec hooks execute csink-attach instead (agent/lifecycle/outside_exec.h).

namespace csink::attach {

/// Makes a process that samples this one from outside, waits until the events are open, and
/// executes the program. The pid stays, and the program finds no child that it has not made: the
/// sampling process is the child of a child that has ended, in a session of its own, without the
/// program's descriptors. It holds a shared lock (flock) on the tree's record file until its spool
/// is complete, so that csink run can wait for it, and leaves a record of its own CPU time.
///
/// `words`: number of the spool::Refusal, first entry of LD_PRELOAD if the program cannot be
/// sampled (may be empty), path of the program, its arguments; ended by nullptr. `follow` samples
/// process `pid`, writes a byte to `ready` when the events are open, and returns at its end.
/// If sampling is not possible, the record file says that the program was not followed, and why,
/// and the program runs unsampled. Returns only if the program cannot be executed: 126 or 127.
int BecomeProgram(char** words, int (*follow)(pid_t pid, UniqueFd ready));

}  // namespace csink::attach

#pragma once

#include <sys/types.h>

/// File: the process that becomes the profiled program.

namespace csink::attach {

/// Waits until the descriptor `gate` can be read, then executes `arguments` (ended by nullptr,
/// searched in PATH). In between csink-attach opens the events of this process: they begin with the
/// exec, so that nothing of the program is missed and nothing else is sampled. The byte 's' says
/// that the events are open. After any other byte, or if the gate is closed without a byte, the
/// program starts unsampled; then `preload`, unless empty, becomes the first entry of LD_PRELOAD,
/// so that those of its children that can be preloaded are sampled.
/// Returns only if the program cannot be executed: the exit status that a shell would use, 126 or
/// 127; one line on stderr says why.
int HoldAndExecute(int gate, const char* preload, char** arguments);

/// With CSINK_WAIT, permits `tracer` and its children to read this process's state and memory where
/// Yama restricts that to a process's ancestors (kernel.yama.ptrace_scope 1). The permission stays
/// over an exec. The children of the program do not inherit it.
void PermitWaits(pid_t tracer);

/// Makes `entry`, unless it is empty, the first entry of LD_PRELOAD.
void PreloadFirst(const char* entry);

/// Says on stderr that `program` cannot be executed, and why. Returns the exit status that a shell
/// would use: 126 or 127.
int CannotRun(const char* program, int error);

}  // namespace csink::attach

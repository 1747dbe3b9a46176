#pragma once

#include <sys/types.h>

namespace csink {

/// Stores the name (comm) of thread `tid` of this process: at most 15 bytes and a NUL. The program
/// may rename the thread at any time, and the bytes need not be text. `name` is unchanged where the
/// name cannot be read, for instance because the thread has ended.
/// Threads: any. Signals: safe; three system calls, one for the caller's own name.
void ReadThreadName(pid_t tid, char (&name)[16]) noexcept;

}  // namespace csink

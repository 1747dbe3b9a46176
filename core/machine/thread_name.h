#pragma once

#include <sys/types.h>

namespace csink {

/// Stores the name (comm) of thread `tid` of this process: at most 15 bytes and a NUL. The program
/// may rename the thread at any time. `name` is unchanged where it cannot be read. Signals: safe.
void ReadThreadName(pid_t tid, char (&name)[16]) noexcept;

}  // namespace csink

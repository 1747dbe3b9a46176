#pragma once

#include <sys/types.h>

namespace csink {

/// The comm of a thread of this process, at most 15 bytes and a NUL; the program
/// may rename it at any time. Unchanged when it cannot be read. Signals: safe.
void ReadThreadName(pid_t tid, char (&name)[16]) noexcept;

}  // namespace csink

#pragma once

namespace csink {

/// Runs `body(arg)` beside us while we wait for it: a thread of this process that has its own
/// table of descriptors, with every signal blocked in both. No wait() of the program's sees it, as
/// it would see a child with __WALL, and its processor time is the process's, not its children's.
/// `body` must make raw system calls only and return. `stack`: kChildStackBytes, 64-aligned.
/// False: it did not run, because no such thread can be made (a limit, valgrind, an emulator);
/// then RunChild may serve. Threads: one at a time on a stack. Signals: safe.
bool RunWithOwnFiles(void (*body)(void*), void* arg, unsigned char* stack) noexcept;

}  // namespace csink

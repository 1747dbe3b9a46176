#pragma once

namespace csink {

/// Runs `body(arg)` on a thread of this process that has its own table of descriptors, and waits
/// for its end. What `body` opens is not visible to the program and is closed with the thread. All
/// signals are blocked in both threads. Why not a child process: the program's wait() with __WALL
/// would see the child, and the child's CPU time would count as that of children.
/// A debugger shows each such thread as it shows every clone: without CLONE_THREAD the kernel
/// reports a clone, a fork or a vfork. CLONE_UNTRACED would hide it, but a breakpoint in `body`
/// would then end the program, and a tracer that translates paths (proot) would not see what `body`
/// opens.
/// `body` must make raw system calls only, and return. `stack`: kChildStackBytes, aligned to 64
/// bytes; free again when this function returns. Returns false if `body` did not run, because no
/// such thread can be created (a limit, valgrind, an emulator); RunChild may work instead.
/// Threads: one at a time on a stack. Signals: safe.
bool RunWithOwnFiles(void (*body)(void*), void* arg, unsigned char* stack) noexcept;

}  // namespace csink

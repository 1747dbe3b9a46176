#pragma once

#include <cstddef>

namespace csink {

inline constexpr std::size_t kChildStackBytes = 64 * 1024;

/// Runs `body(arg)` in a child process and waits for its end. The child shares our memory but not
/// our descriptors (CLONE_VM | CLONE_VFORK), and all signals are blocked in both. The child is
/// created without an exit signal and waited for with __WALL, so the program's own wait never sees
/// it and gets no SIGCHLD.
/// `body` may make raw system calls only. It ends by returning its exit status or by exit_group,
/// never by exec (see RunExecChild). `stack`: kChildStackBytes for the child, aligned to 64 bytes;
/// nullptr: a static one.
/// True: the child has ended, and its wait status is in `*status`. False: no child could be
/// created.
/// Threads: one at a time (for each stack). Signals: safe.
bool RunChild(int (*body)(void*), void* arg, int* status, unsigned char* stack = nullptr) noexcept;

/// The same for a `body` that ends by exec. On exec the kernel sets every process's exit signal to
/// SIGCHLD again; so an intermediate child stands between the program and that process.
bool RunExecChild(int (*body)(void*), void* arg, int* status) noexcept;

}  // namespace csink

#pragma once

#include <cstddef>

namespace csink {

/// Bytes of a child's stack. A page of it costs memory only after the child has used that page.
inline constexpr std::size_t kChildStackBytes = 64 * 1024;

/// Runs `body(arg)` in a child process and waits for its end. The child shares our memory but not
/// our descriptors (CLONE_VM | CLONE_VFORK), and all signals are blocked in both. The child is
/// created without an exit signal and waited for with __WALL (clone(2), wait(2)), so the program's
/// own wait never sees it and gets no SIGCHLD. Only a thread of the program that waits for any
/// child with __WALL may reap the child first; RunChild then returns false although `body` ran.
/// `body` may make raw system calls only: errno, locks and thread-local storage are the calling
/// thread's. It ends by returning its exit status or by exit_group, never by exec (see
/// RunExecChild). The calling thread does not run meanwhile; other threads of the program do.
/// `stack`: kChildStackBytes for the child, aligned to 64 bytes; nullptr: a static one.
/// Returns true if the child has ended; its wait status (wait(2)) is then in `*status`. Returns
/// false if no child could be created.
/// Threads: one at a time (for each stack). Signals: safe.
bool RunChild(int (*body)(void*), void* arg, int* status, unsigned char* stack = nullptr) noexcept;

/// The same for a `body` that ends by exec. On exec the kernel sets every process's exit signal to
/// SIGCHLD again; so an intermediate child stands between the program and that process. The wait
/// status is that of an exit: the grandchild's exit status, 128 + N where signal N ended it, or 126
/// where it could not be created. The result stays right where another thread of the program reaps
/// the intermediate child.
/// Threads: one at a time in the process (both stacks are static). Signals: safe.
bool RunExecChild(int (*body)(void*), void* arg, int* status) noexcept;

}  // namespace csink

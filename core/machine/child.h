#pragma once

#include <cstddef>

namespace csink {

inline constexpr std::size_t kChildStackBytes = 64 * 1024;

/// Runs `body(arg)` in a child that shares our memory while we wait for it
/// (CLONE_VM | CLONE_VFORK) but not our descriptors, with every signal blocked in both. The child
/// is made without an exit signal and waited for with __WALL, so the program's own wait never sees
/// it and no SIGCHLD comes. `body` must make raw system calls only; it ends by returning its exit
/// status, or by exit_group, not by exec. True: the child has ended, its wait status is in
/// `*status`. False: no child could be made. Threads: one at a time. Signals: safe. `stack`:
/// kChildStackBytes for the child, 64-aligned; nullptr: one for everybody.
bool RunChild(int (*body)(void*), void* arg, int* status, unsigned char* stack = nullptr) noexcept;

/// The same for a `body` that ends by exec. exec gives every process SIGCHLD as its
/// exit signal again, so a further child stands between that one and us.
bool RunExecChild(int (*body)(void*), void* arg, int* status) noexcept;

}  // namespace csink

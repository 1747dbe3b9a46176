#pragma once

#include <sys/types.h>

#include <cstddef>

namespace csink::agent {

/// The number of threads of this process as the kernel counts them, including a main thread that
/// has ended but remains as a zombie; 0 if /proc cannot be read. 11 us. Threads: any. Signals:
/// safe.
std::size_t CountTasks() noexcept;

/// True if no other task shares this memory: no other thread, no vfork child. unshare(CLONE_VM)
/// fails then and otherwise does nothing; 0.3 us. False may also mean that this cannot be found out
/// (a seccomp filter is installed). Threads: any. Signals: safe.
bool IsAlone() noexcept;

/// Calls `visit` with each name in a folder, "." and ".." too, in the kernel's order. The name is
/// valid during the call. Opens one descriptor for the time of the call. Nothing if the folder
/// cannot be opened. Signals: safe.
void ForEachName(const char* folder, void (*visit)(const char* name, void* arg),
                 void* arg) noexcept;

/// Calls `visit` with each thread id in /proc/self/task. Signals: safe.
void ForEachTask(void (*visit)(pid_t tid, void* arg), void* arg) noexcept;

}  // namespace csink::agent

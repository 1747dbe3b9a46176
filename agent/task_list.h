#pragma once

#include <sys/types.h>

#include <cstddef>

namespace csink::agent {

/// Threads of this process as the kernel counts them, zombies of the leader
/// included; 0 when /proc cannot be read. Signals: safe.
std::size_t CountTasks() noexcept;

/// Calls `visit` with each name in a folder, "." and ".." too. Signals: safe.
void ForEachName(const char* folder, void (*visit)(const char* name, void* arg),
                 void* arg) noexcept;

/// Calls `visit` with each thread id in /proc/self/task. Signals: safe.
void ForEachTask(void (*visit)(pid_t tid, void* arg), void* arg) noexcept;

}  // namespace csink::agent

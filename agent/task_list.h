#pragma once

#include <sys/types.h>

#include <cstddef>

namespace csink::agent {

/// Threads of this process as the kernel counts them, zombies of the leader
/// included; 0 when /proc cannot be read. Signals: safe.
std::size_t CountTasks() noexcept;

/// Calls `visit` with each thread id in /proc/self/task. Signals: safe.
void ForEachTask(void (*visit)(pid_t tid, void* arg), void* arg) noexcept;

}  // namespace csink::agent

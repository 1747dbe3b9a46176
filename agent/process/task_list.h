#pragma once

#include <sys/types.h>

#include <cstddef>

namespace csink::agent {

/// Threads of this process as the kernel counts them, zombies of the leader
/// included; 0 when /proc cannot be read. Signals: safe.
std::size_t CountTasks() noexcept;

/// True when nobody else runs in our memory: a tenth of the price of CountTasks. False may also
/// mean that nobody could say (a seccomp filter is there). Signals: safe.
bool IsAlone() noexcept;

/// Calls `visit` with each name in a folder, "." and ".." too. Signals: safe.
void ForEachName(const char* folder, void (*visit)(const char* name, void* arg),
                 void* arg) noexcept;

/// Calls `visit` with each thread id in /proc/self/task. Signals: safe.
void ForEachTask(void (*visit)(pid_t tid, void* arg), void* arg) noexcept;

}  // namespace csink::agent

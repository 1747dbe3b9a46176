#pragma once

#include <signal.h>

namespace csink::agent {

/// Installs the agent's handler for the signal of CSINK_SIGNAL if the program leaves the signal at
/// its default. Prints a line if that is not possible. Called once, in the library's constructor.
/// Threads: main, before the program creates others. Signals: not safe.
void InstallSnapshotSignal(int signal) noexcept;

/// True while the agent's handler is installed. Threads: any. Signals: safe.
bool SnapshotSignalIsOurs() noexcept;

/// The number of the signal that requests a snapshot; 0: none. Threads: any. Signals: safe.
int SnapshotSignal() noexcept;

}  // namespace csink::agent

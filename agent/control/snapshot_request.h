#pragma once

#include <signal.h>

namespace csink::agent {

/// CSINK_SIGNAL: our handler for it, where the program leaves the signal at its default. Says so in
/// a line when that cannot be. Threads: before there are any. Signals: not safe.
void InstallSnapshotSignal(int signal) noexcept;

/// True while our handler is in place.
bool SnapshotSignalIsOurs() noexcept;

/// The signal that stands for a snapshot; 0: none.
int SnapshotSignal() noexcept;

}  // namespace csink::agent

#pragma once

namespace csink::agent {

/// A signal that we handle while the program leaves it at its default. Signals: safe.
bool IsManaged(int signal) noexcept;

/// SA_RESTART, or 0 after siginterrupt(3): the flag that signal(3) sets.
int SignalRestartFlag(int signal) noexcept;

}  // namespace csink::agent

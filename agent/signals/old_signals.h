#pragma once

namespace csink::agent {

/// True if the agent has a handler of its own for this signal while the program leaves it at its
/// default (agent/signals/signal_view.h). The hooks of signal(3) and
/// its relatives must then go through ViewSigaction. False before the agent's start. Threads: any.
/// Signals: safe.
bool IsManaged(int signal) noexcept;

/// SA_RESTART, or 0 after siginterrupt(3) with `interrupt` true: the flag that signal(3) sets.
/// `signal`: 1 to 64. Threads: any. Signals: safe.
int SignalRestartFlag(int signal) noexcept;

}  // namespace csink::agent

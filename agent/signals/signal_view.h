#pragma once

#include <signal.h>

#include <cstddef>

#include "agent/process/drain_signal.h"
#include "agent/signals/signal_mask.h"

/// File: signal handlers of the agent that the program cannot see.
///
/// The agent handles these signals, and only while the program leaves them at their default: SIGURG
/// (the drain and tick signal, ignored by default), SIGINT, SIGTERM, SIGHUP, SIGALRM and SIGPIPE
/// (so that Ctrl-C on a server still gives the report), and the signal that CSINK_SIGNAL names. The
/// interposed sigaction and signal answer as if these handlers did not exist. When the program sets
/// a disposition of its own, the program gets it and the agent gives up the signal. An ignored
/// signal is never touched, so that exec passes it on unchanged.

namespace csink::agent {

/// Installs the agent's handlers for signals whose disposition is SIG_DFL. Called once, at the
/// start. For the first process of a pid namespace the deadly signals are left alone. Threads:
/// main. Signals: not safe.
void InstallSignalView() noexcept;

/// sigaction(2) as the program should see it; returns 0, or -1 with errno. `real` is libc's
/// function. `drain_taken` is set to true if the program has just taken the drain signal; the
/// caller must then arrange another way to drain. Threads: any. Signals: safe, as sigaction is.
int ViewSigaction(int signal, const struct sigaction* act, struct sigaction* old,
                  int (*real)(int, const struct sigaction*, struct sigaction*),
                  bool* drain_taken) noexcept;

/// Called before the program waits for the signals in `set` (sigwait, signalfd, sigpending), which
/// must be readable. If the drain signal is among them, the agent gives it up for good, and
/// likewise the signal of CSINK_SIGNAL. Returns true if the caller must arrange another way to
/// drain. In a process of several threads the handler stays in the kernel's table, hidden, until
/// the program sets one: a thread that believes the signal blocked corrects its mask when it gets
/// the signal, and sends the signal again. Signals: not safe.
bool StepBackFor(const sigset_t* set) noexcept;

/// Called before the program sets an alternate stack of that size. If the kernel's frame and a
/// handler of the agent do not fit, the agent's handlers run on the normal stack from then on: a
/// frame that does not fit kills the process. Signals: safe.
void FitAlternateStack(std::size_t bytes) noexcept;

}  // namespace csink::agent

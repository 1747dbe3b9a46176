#pragma once

#include <signal.h>

#include <cstddef>

#include "agent/process/drain_signal.h"
#include "agent/signals/signal_mask.h"

/// File: handlers of ours that the program cannot see.
///
/// We handle three signals, and only while the program leaves them at their
/// default: SIGURG (the drain and tick signal, ignored by default) and SIGINT and
/// SIGTERM (so that Ctrl-C on a server still gives the report). The interposed
/// sigaction and signal answer as if our handlers were not there; the moment the
/// program asks for a disposition of its own, it gets it and we step back.
/// A signal that is ignored is never touched, so exec passes it on as it was.

namespace csink::agent {

/// Installs our handlers where the disposition is SIG_DFL.
void InstallSignalView() noexcept;

/// sigaction(2) as the program should see it. `real` is libc's. `drain_taken` is
/// set when the program has just taken the drain signal for itself: somebody else
/// must drain from now on.
/// Threads: any. Signals: safe, as sigaction is.
int ViewSigaction(int signal, const struct sigaction* act, struct sigaction* old,
                  int (*real)(int, const struct sigaction*, struct sigaction*),
                  bool* drain_taken) noexcept;

/// Before the program waits for signals in `set` (sigwait, signalfd, sigpending):
/// when that is the drain signal too, we step back from it for good. True: somebody
/// else must drain from now on. With several threads our handler stays in the kernel's
/// table, unseen, until the program sets one: a thread that believes the signal blocked
/// puts its mask right when it gets one, and sends it again. Signals: not safe.
bool StepBackFor(const sigset_t* set) noexcept;

/// Before the program sets an alternate stack of that size: when the kernel's frame and
/// a handler of ours would not fit, our handlers run on the normal stack from then on.
/// A frame that does not fit kills. Signals: safe.
void FitAlternateStack(std::size_t bytes) noexcept;

}  // namespace csink::agent

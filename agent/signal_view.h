#pragma once

#include <signal.h>

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

/// True while our SIGURG handler is in place.
bool DrainSignalIsOurs() noexcept;

/// sigaction(2) as the program should see it. `real` is libc's. `drain_taken` is
/// set when the program has just taken the drain signal for itself: somebody else
/// must drain from now on.
/// Threads: any. Signals: safe, as sigaction is.
int ViewSigaction(int signal, const struct sigaction* act, struct sigaction* old,
                  int (*real)(int, const struct sigaction*, struct sigaction*),
                  bool* drain_taken) noexcept;

/// Before the program waits for signals in `set` (sigwait, signalfd, sigpending):
/// when that is the drain signal too, we step back from it for good. True: somebody
/// else must drain from now on. Signals: not safe.
bool StepBackFor(const sigset_t* set) noexcept;

/// What this thread's program believes of the drain signal's place in its mask.
bool BelievedBlocked() noexcept;
void SetBelievedBlocked(bool blocked) noexcept;

/// Around exec: true makes the kernel's mask what the program believes it to be, so
/// that the next image inherits it; false takes that back. Signals: safe.
void ShowMaskToKernel(bool show) noexcept;

/// Lets the drain signal through on the calling thread (timer source).
void UnblockDrainSignal() noexcept;

/// sigprocmask as the program should see it: the drain signal stays unblocked in
/// the kernel while it is ours, the program's own wish is remembered per thread
/// and shown to it. 0, or an errno.
int MaskForProgram(int how, const sigset_t* set, sigset_t* old) noexcept;

}  // namespace csink::agent

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "agent/libc/real.h"
#include "agent/process/drain_signal.h"
#include "agent/process/program_observer.h"
#include "agent/signals/old_signals.h"
#include "agent/signals/program_memory.h"
#include "agent/signals/signal_view.h"

/// File: interposed functions through which a program reads and changes signal actions and masks.
/// They forward to agent/signals, which keeps the agent's own handlers and the unblocked drain
/// signal out of the program's sight. Before the program waits for the drain signal, the agent
/// gives that signal up: ticks of the agent would end the wait.

namespace csink::agent {
namespace {

using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);
using Signal = sighandler_t (*)(int, sighandler_t);

constinit Real<Sigaction> g_sigaction("sigaction");
constinit Real<Signal> g_signal("signal");
constinit Real<Signal> g_sysv_signal("__sysv_signal");

constinit Real<int (*)(const sigset_t*, int*)> g_sigwait("sigwait");
constinit Real<int (*)(const sigset_t*, siginfo_t*)> g_sigwaitinfo("sigwaitinfo");
constinit Real<int (*)(const sigset_t*, siginfo_t*, const timespec*)> g_sigtimedwait(
    "sigtimedwait");
constinit Real<int (*)(int, const sigset_t*, int)> g_signalfd("signalfd");

void BeforeWaiting(const sigset_t* set) noexcept {
  ProgramObserver* agent = TheObserver();
  // The kernel reads only its own part of a sigset_t (one word).
  if (!agent || !set || !MayRead(set, sizeof(unsigned long))) return;
  const int signal = DrainSignal();
  if (sigismember(set, signal) == 1 && DrainSignalIsOurs()) {
    agent->StopTicks(signal == SIGURG ? "the program waits for SIGURG itself"
                                      : "the program uses SIGURG and SIGWINCH itself");
  }
  if (StepBackFor(set)) agent->ReplaceDrainSignal();
}

// True if the program sets anything but the default.
bool TakesHandler(const struct sigaction* act) noexcept {
  return act && ((act->sa_flags & SA_SIGINFO) || act->sa_handler != SIG_DFL);
}

int View(int signal, const struct sigaction* act, struct sigaction* old) noexcept {
  if (!TheObserver()) return g_sigaction.get()(signal, act, old);
  bool drain_taken = false;
  // The timers are stopped, or get another signal, before the handler is set: a tick of the agent
  // must not reach the program's handler.
  if (signal == DrainSignal() && TakesHandler(act) && DrainSignalIsOurs() &&
      !TheObserver()->MoveTicks()) {
    TheObserver()->StopTicks(signal == SIGURG ? "the program handles SIGURG itself"
                                              : "the program handles SIGURG and SIGWINCH itself");
  }
  const int r = ViewSigaction(signal, act, old, g_sigaction.get(), &drain_taken);
  if (drain_taken) TheObserver()->ReplaceDrainSignal();
  return r;
}

// Implements signal(3) by sigaction, with the flags of the variant.
sighandler_t SetHandler(int signal, sighandler_t handler, int flags) noexcept {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (!(flags & SA_NODEFER)) sigaddset(&action.sa_mask, signal);
  if (View(signal, &action, &old) != 0) return SIG_ERR;
  return old.sa_handler;
}

}  // namespace

}  // namespace csink::agent

using namespace csink::agent;

#define CSINK_EXPORT __attribute__((visibility("default")))

extern "C" {

CSINK_EXPORT int sigaction(int signal, const struct sigaction* act,
                           struct sigaction* old) noexcept {
  return View(signal, act, old);
}

// libc's own function is called where possible, because it observes siginterrupt(3). It calls
// sigaction inside libc, where the agent's handler would be returned as the old one; so managed
// signals are set here.
CSINK_EXPORT sighandler_t signal(int signal, sighandler_t handler) noexcept {
  // libc's own function observes siginterrupt(3).
  if (!IsManaged(signal)) return g_signal.get()(signal, handler);
  return SetHandler(signal, handler, SignalRestartFlag(signal));
}
CSINK_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}
CSINK_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
  return signal(number, handler);
}
// The symbol that signal(3) is for a program built with _XOPEN_SOURCE alone.
CSINK_EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  if (!IsManaged(signal)) return g_sysv_signal.get()(signal, handler);
  return SetHandler(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}
CSINK_EXPORT sighandler_t sysv_signal(int signal, sighandler_t handler) noexcept {
  return __sysv_signal(signal, handler);
}

// The agent takes no signal from a program that waits for it; see BeforeWaiting.
CSINK_EXPORT int sigwait(const sigset_t* set, int* signal) {
  BeforeWaiting(set);
  return g_sigwait.get()(set, signal);
}
CSINK_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  BeforeWaiting(set);
  return g_sigwaitinfo.get()(set, info);
}
CSINK_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* limit) {
  BeforeWaiting(set);
  return g_sigtimedwait.get()(set, info, limit);
}
CSINK_EXPORT int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  BeforeWaiting(set);
  return g_signalfd.get()(fd, set, flags);
}

// The result is errno for sigprocmask and the return value for pthread_sigmask (POSIX).
CSINK_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  const int error = MaskForProgram(how, set, old);
  if (error == 0) return 0;
  errno = error;
  return -1;
}
CSINK_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  return MaskForProgram(how, set, old);
}

}  // extern "C"

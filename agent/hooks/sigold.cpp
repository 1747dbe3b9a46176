#include <errno.h>
#include <signal.h>

#include <atomic>
#include <cstring>

#include "agent/libc/real.h"
#include "agent/process/program_observer.h"
#include "agent/signals/old_signals.h"
#include "agent/signals/program_memory.h"
#include "agent/signals/signal_view.h"

/// File: interposed signal functions of System V and BSD, and sigaltstack. libc's own versions call
/// sigaction and sigprocmask inside libc, not through the interposed symbols.

namespace csink::agent {
namespace {

constinit Real<int (*)(const stack_t*, stack_t*)> g_sigaltstack("sigaltstack");
constinit Real<int (*)(int, int)> g_siginterrupt("siginterrupt");
constinit Real<sighandler_t (*)(int, sighandler_t)> g_sigset("sigset");
constinit Real<int (*)(int)> g_sigignore("sigignore");

// Signals for which siginterrupt(3) was called with `interrupt` true; signal(3) needs to know them.
std::atomic<unsigned long> g_interrupting{0};

int ChangeMask(int how, const sigset_t* set, sigset_t* old) noexcept {
  const int error = MaskForProgram(how, set, old);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int ChangeOne(int how, int signal, sigset_t* old) noexcept {
  sigset_t set;
  sigemptyset(&set);
  if (sigaddset(&set, signal) != 0) return -1;
  return ChangeMask(how, &set, old);
}

// BSD's masks are an int with the first 32 signals.
int ChangeBsd(int how, int mask) noexcept {
  sigset_t set;
  sigset_t old;
  const unsigned long bits = static_cast<unsigned>(mask);
  unsigned long before = 0;
  std::memset(&set, 0, sizeof set);
  std::memcpy(&set, &bits, sizeof bits);
  if (ChangeMask(how, &set, &old) != 0) return -1;
  std::memcpy(&before, &old, sizeof before);
  return static_cast<int>(before);
}

}  // namespace

int SignalRestartFlag(int signal) noexcept {
  const unsigned long bit = 1ul << (signal - 1);
  return g_interrupting.load(std::memory_order_relaxed) & bit ? 0 : SA_RESTART;
}

}  // namespace csink::agent

using namespace csink::agent;

#define CSINK_EXPORT __attribute__((visibility("default")))

extern "C" {

// sigset(3): SIG_HOLD blocks the signal and leaves its action; any other handler unblocks the
// signal. SIG_HOLD is returned if the signal was blocked.
CSINK_EXPORT sighandler_t sigset(int signal, sighandler_t handler) noexcept {
  if (!IsManaged(signal)) return g_sigset.get()(signal, handler);
  sigset_t before;
  struct sigaction action = {};
  struct sigaction old = {};
  const bool hold = handler == SIG_HOLD;
  if (ChangeOne(hold ? SIG_BLOCK : SIG_UNBLOCK, signal, &before) != 0) return SIG_ERR;
  action.sa_handler = handler;
  if (sigaction(signal, hold ? nullptr : &action, &old) != 0) return SIG_ERR;
  return sigismember(&before, signal) == 1 ? SIG_HOLD : old.sa_handler;
}
// No distinction between managed signals and others: MaskForProgram handles all.
CSINK_EXPORT int sighold(int signal) noexcept { return ChangeOne(SIG_BLOCK, signal, nullptr); }
CSINK_EXPORT int sigrelse(int signal) noexcept { return ChangeOne(SIG_UNBLOCK, signal, nullptr); }
CSINK_EXPORT int sigignore(int signal) noexcept {
  if (!IsManaged(signal)) return g_sigignore.get()(signal);
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  return sigaction(signal, &action, nullptr);
}
CSINK_EXPORT int siginterrupt(int signal, int interrupt) noexcept {
  if (!IsManaged(signal)) return g_siginterrupt.get()(signal, interrupt);
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  const unsigned long bit = 1ul << (signal - 1);
  if (interrupt) {
    g_interrupting.fetch_or(bit, std::memory_order_relaxed);
    action.sa_flags &= ~SA_RESTART;
  } else {
    g_interrupting.fetch_and(~bit, std::memory_order_relaxed);
    action.sa_flags |= SA_RESTART;
  }
  return sigaction(signal, &action, nullptr);
}

CSINK_EXPORT int sigblock(int mask) noexcept { return ChangeBsd(SIG_BLOCK, mask); }
CSINK_EXPORT int sigsetmask(int mask) noexcept { return ChangeBsd(SIG_SETMASK, mask); }

// The stack is passed on unchanged. Only its size is looked at, before the program may receive a
// signal on it.
CSINK_EXPORT int sigaltstack(const stack_t* stack, stack_t* old) noexcept {
  ProgramObserver* agent = stack ? TheObserver() : nullptr;
  stack_t wanted;
  if (agent && agent->IsOurProcess() && CopyFromProgram(stack, &wanted, sizeof wanted) &&
      !(wanted.ss_flags & SS_DISABLE)) {
    FitAlternateStack(wanted.ss_size);
  }
  return g_sigaltstack.get()(stack, old);
}

}  // extern "C"

#include <errno.h>
#include <time.h>

#include "core/counting/overflow/overflow_cookie.h"
#include "core/counting/overflow/overflow_state.h"
#include "core/counting/signals/signal_share.h"
#include "core/util/raw_syscall.h"

namespace csink::overflow_signals {
namespace {

// Candidates for the signal source. They are ignored by default, so that a late signal, or one that
// reaches an image just exec'd, does nothing. They are standard signals, which merge: with
// real-time signals a full queue kills the program by SIGIO. SIGWINCH comes first, because agents
// use SIGURG for draining, and Go uses it, too. In a program that handles SIGWINCH (screen
// programs) we take SIGURG.
constexpr int kCandidates[] = {SIGWINCH, SIGURG};
// Blocked in all our handlers, so that one does not interrupt another.
constexpr int kBlocked[] = {SIGTRAP, SIGWINCH, SIGURG};

void OnTrap(int signal, siginfo_t* info, void* context);
void OnAsync(int signal, siginfo_t* info, void* context);

constinit SignalShare g_trap(OnTrap, kBlocked, 3);
constinit SignalShare g_async(OnAsync, kBlocked, 3);

bool IsPerfTrap(const siginfo_t& info) noexcept {
  return info.si_signo == SIGTRAP && info.si_code == kTrapPerf &&
         OverflowCookie::IsOurs(PerfSigData(info));
}

// The cookie's tag distinguishes our events from those of other users of SIGTRAP, such as another
// profiler or a debugger's breakpoint.
void OnTrap(int signal, siginfo_t* info, void* context) {
  if (IsPerfTrap(*info)) {
    DeliverByCookie(OverflowCookie::Unpack(PerfSigData(*info)), context);
  } else {
    g_trap.PassOn(signal, info, context);
  }
}

void OnAsync(int signal, siginfo_t* info, void* context) {
  // With F_SETSIG, si_code and si_fd are as for SIGIO (fcntl(2)). The program may use the signal in
  // the same way, so the descriptor decides.
  const bool descriptor = info->si_code == POLL_IN || info->si_code == POLL_HUP;
  if (!descriptor || !DeliverByDescriptor(info->si_fd, context)) {
    g_async.PassOn(signal, info, context);
  }
}

int Trap() noexcept { return SIGTRAP; }

int ChooseAsync() noexcept {
  // A signal for which the program has no handler.
  for (const int candidate : kCandidates) {
    struct sigaction now = {};
    SignalShare::Sigaction(candidate, nullptr, &now);
    if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return candidate;
  }
  // The program handles both signals: SignalShare then passes on what is not ours.
  return kCandidates[0];
}

SignalShare* ShareOf(OverflowSourceKind kind) noexcept {
  if (kind == OverflowSourceKind::kSigtrap) return &g_trap;
  return kind == OverflowSourceKind::kSignal ? &g_async : nullptr;
}

}  // namespace

int Number(OverflowSourceKind kind) noexcept {
  const SignalShare* share = ShareOf(kind);
  return share ? share->signal() : 0;
}

void Take(OverflowSourceKind kind) noexcept {
  if (kind == OverflowSourceKind::kSigtrap) g_trap.Take(Trap);
  if (kind == OverflowSourceKind::kSignal) g_async.Take(ChooseAsync);
}

void Check(OverflowSourceKind kind) noexcept {
  if (SignalShare* share = ShareOf(kind)) share->Check();
}

void Give(OverflowSourceKind kind, bool may_come_late) noexcept {
  if (SignalShare* share = ShareOf(kind)) share->Give(may_come_late);
}

void DropPending(OverflowSourceKind kind) noexcept {
  // A late SIGTRAP kills by its default action; the other signals are ignored by default.
  if (kind != OverflowSourceKind::kSigtrap) return;
  const std::uint64_t trap = std::uint64_t{1} << (SIGTRAP - 1);
  const timespec now = {};
  siginfo_t info = {};
  while (RawSyscall(SYS_rt_sigtimedwait, SyscallArg(&trap), SyscallArg(&info), SyscallArg(&now),
                    sizeof trap) == SIGTRAP) {
    if (IsPerfTrap(info)) {
      overflow_table::CountLate();
      continue;
    }
    // A SIGTRAP of the program's own: it is queued again for this thread. At most one can be
    // pending for this thread and one for the process, since standard signals merge.
    RawSyscall(SYS_rt_tgsigqueueinfo, RawSyscall(SYS_getpid), RawSyscall(SYS_gettid), SIGTRAP,
               SyscallArg(&info));
    return;
  }
}

void ProcessForked() noexcept {
  g_trap.ProcessForked();
  g_async.ProcessForked();
}

}  // namespace csink::overflow_signals

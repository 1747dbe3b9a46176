#include <errno.h>
#include <time.h>

#include "core/overflow/overflow_state.h"
#include "core/overflow/perf_siginfo.h"
#include "core/signals/signal_share.h"
#include "core/util/raw_syscall.h"

namespace csink::overflow_signals {
namespace {

// For the signal source: signals that are ignored by default, so that a late one, or one in an
// image that was just exec'd, does nothing, and standard ones, because these merge: a queue of
// real-time signals that is full kills the program with SIGIO. SIGWINCH first: SIGURG is the drain
// signal of agents, and Go's. Screen programs that handle SIGWINCH make us take SIGURG.
constexpr int kCandidates[] = {SIGWINCH, SIGURG};
// Our handlers wait for each other.
constexpr int kBlocked[] = {SIGTRAP, SIGWINCH, SIGURG};

void OnTrap(int signal, siginfo_t* info, void* context);
void OnAsync(int signal, siginfo_t* info, void* context);

constinit SignalShare g_trap(OnTrap, kBlocked, 3);
constinit SignalShare g_async(OnAsync, kBlocked, 3);

bool IsPerfTrap(const siginfo_t& info) noexcept {
  return info.si_signo == SIGTRAP && info.si_code == kTrapPerf &&
         OverflowCookie::IsOurs(PerfSigData(info));
}

void OnTrap(int signal, siginfo_t* info, void* context) {
  if (IsPerfTrap(*info)) {
    DeliverByCookie(OverflowCookie::Unpack(PerfSigData(*info)), context);
  } else {
    g_trap.PassOn(signal, info, context);
  }
}

void OnAsync(int signal, siginfo_t* info, void* context) {
  // fcntl(2), F_SETSIG: si_code and si_fd as for SIGIO. Others may use the signal so, too.
  const bool descriptor = info->si_code == POLL_IN || info->si_code == POLL_HUP;
  if (!descriptor || !DeliverByDescriptor(info->si_fd, context)) {
    g_async.PassOn(signal, info, context);
  }
}

int Trap() noexcept { return SIGTRAP; }

int ChooseAsync() noexcept {
  for (const int candidate : kCandidates) {
    struct sigaction now = {};
    SignalShare::Sigaction(candidate, nullptr, &now);
    if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return candidate;
  }
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
  // Only SIGTRAP does harm when it comes late.
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
    // The program's own: back where it was. There was one at most for this thread and one for all.
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

#include <errno.h>
#include <ucontext.h>

#include <atomic>
#include <cstring>

#include "agent/agent.h"
#include "agent/signal_view.h"
#include "agent/stack_switch.h"
#include "core/util/raw_syscall.h"

namespace csink::agent {
namespace {

constexpr long kMaskBytes = 8;

// The kernel's own struct: libc's sigaction cannot be called from a handler's
// vfork'd copy without going through symbols that others interpose.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};
static_assert(sizeof(KernelAction) == 32);

struct Managed {
  int signal;
  std::atomic<bool> ours;
  // What the program believes to be set; only flags and mask can differ from {}.
  struct sigaction program;
};
Managed g_managed[] = {{kDrainSignal, {false}, {}}, {SIGINT, {false}, {}}, {SIGTERM, {false}, {}}};

// This thread's program believes SIGURG to be blocked.
thread_local bool t_drain_blocked = false;

// A handler stepped back from the drain signal and could not make a thread.
std::atomic<bool> g_stepped_back{false};

std::atomic<bool> g_dying{false};
alignas(64) unsigned char g_death_stack[64 * 1024];

Managed* Find(int signal) noexcept {
  for (Managed& m : g_managed) {
    if (m.signal == signal) return &m;
  }
  return nullptr;
}

bool DefaultInKernel(int signal) noexcept {
  KernelAction old = {};
  return RawSyscall(SYS_rt_sigaction, signal, 0, SyscallArg(&old), kMaskBytes) == 0 &&
         old.handler == SIG_DFL;
}

// The kernel ignores SIGINT and SIGTERM for the first process of a pid namespace while
// they are at their default: a report there would be the end of a program that lives on.
bool MayHandle(int signal) noexcept { return signal == kDrainSignal || OwnPid() != 1; }

void SetDefault(int signal) noexcept {
  KernelAction action = {};
  RawSyscall(SYS_rt_sigaction, signal, SyscallArg(&action), 0, kMaskBytes);
}

constexpr unsigned long kDrainBit = 1ul << (kDrainSignal - 1);

void OnDrain(int, siginfo_t* info, void* context) {
  Agent* agent = TheAgent();
  if (!agent || agent->OnDrainSignal(*info, context) || !t_drain_blocked) return;
  if (!agent->IsOurProcess()) return;
  // Somebody's own SIGURG, for a program that believes it blocked and will ask for
  // it: step back, block it for real from the return on, and send it again.
  g_managed[0].ours.store(false, std::memory_order_release);
  g_stepped_back.store(true, std::memory_order_release);
  SetDefault(kDrainSignal);
  agent->StopDrainTimer();
  auto* interrupted = static_cast<ucontext_t*>(context);
  unsigned long mask;
  std::memcpy(&mask, &interrupted->uc_sigmask, sizeof mask);
  mask |= kDrainBit;
  std::memcpy(&interrupted->uc_sigmask, &mask, sizeof mask);
  RawSyscall(SYS_rt_tgsigqueueinfo, OwnPid(), AskTid(), kDrainSignal, SyscallArg(info));
}

void FinishOfSignal(void* arg) { TheAgent()->Finish(spool::End::kSignal, *static_cast<int*>(arg)); }

// The default action of SIGINT and SIGTERM, with a report before it.
void OnDeath(int signal, siginfo_t*, void*) {
  Agent* agent = TheAgent();
  if (agent && agent->IsOurProcess() && !g_dying.exchange(true)) {
    RunOnStack(FinishOfSignal, &signal, g_death_stack + sizeof g_death_stack);
  }
  // Also for a vfork child, whose table of handlers is its own.
  SetDefault(signal);
  unsigned long mask = 1ul << (signal - 1);
  RawSyscall(SYS_tgkill, OwnPid(), AskTid(), signal);
  RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, SyscallArg(&mask), 0, kMaskBytes);
}

struct sigaction OurAction(int signal) noexcept {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  action.sa_sigaction = signal == kDrainSignal ? OnDrain : OnDeath;
  // All of them, the kernel's way of sigfillset: see RunOnStack.
  std::memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
  return action;
}

using RealSigaction = int (*)(int, const struct sigaction*, struct sigaction*);

}  // namespace

extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*) noexcept;

void InstallSignalView() noexcept {
  for (Managed& m : g_managed) {
    if (!MayHandle(m.signal) || !DefaultInKernel(m.signal)) continue;
    const struct sigaction action = OurAction(m.signal);
    // libc's own entry: it knows the restorer, and is not what we interpose.
    if (__sigaction(m.signal, &action, nullptr) == 0) m.ours.store(true, std::memory_order_release);
  }
}

bool DrainSignalIsOurs() noexcept { return g_managed[0].ours.load(std::memory_order_acquire); }

int ViewSigaction(int signal, const struct sigaction* act, struct sigaction* old,
                  RealSigaction real, bool* drain_taken) noexcept {
  Managed* m = Find(signal);
  Agent* agent = m ? TheAgent() : nullptr;
  if (!agent) return real(signal, act, old);
  const bool ours = m->ours.load(std::memory_order_acquire);
  // A vfork child has its own table of handlers but our memory: it must get what
  // it asks for and leave our notes alone.
  if (!agent->IsOurProcess()) {
    const struct sigaction seen = m->program;
    const int r = act ? real(signal, act, ours ? nullptr : old) : 0;
    if (!ours) return act ? r : real(signal, nullptr, old);
    if (r == 0 && old) *old = seen;
    return r;
  }
  if (!act) {
    if (!ours) return real(signal, nullptr, old);
    if (old) *old = m->program;
    return 0;
  }
  struct sigaction wanted = *act;  // act and old may be the same
#if defined(__x86_64__)
  constexpr int kRestorer = 0x04000000;  // libc adds it, and the kernel shows it again
  wanted.sa_flags |= kRestorer;
#endif
  const bool to_default = !(wanted.sa_flags & SA_SIGINFO) && wanted.sa_handler == SIG_DFL;
  if (ours && to_default) {
    if (old) *old = m->program;
    sigdelset(&wanted.sa_mask, SIGKILL);
    sigdelset(&wanted.sa_mask, SIGSTOP);
    m->program = wanted;
    return 0;
  }
  if (ours) {
    const struct sigaction before = m->program;
    m->ours.store(false, std::memory_order_release);
    const int r = real(signal, &wanted, nullptr);
    if (old) *old = before;
    *drain_taken = signal == kDrainSignal;
    return r;
  }
  const int r = real(signal, &wanted, old);
  // Back at the default, so ours again: the usual way to die of a signal is to
  // reset it and raise it.
  if (r == 0 && to_default && signal != kDrainSignal && MayHandle(signal)) {
    const struct sigaction action = OurAction(signal);
    m->program = wanted;
    if (real(signal, &action, nullptr) == 0) m->ours.store(true, std::memory_order_release);
  }
  return r;
}

bool StepBackFor(const sigset_t* set) noexcept {
  unsigned long wanted = 0;
  if (set) std::memcpy(&wanted, set, sizeof wanted);
  Agent* agent = TheAgent();
  if (!(wanted & kDrainBit) || !agent || !agent->IsOurProcess()) return false;
  if (g_stepped_back.exchange(false)) return true;
  if (!g_managed[0].ours.exchange(false)) return false;
  SetDefault(kDrainSignal);
  ShowMaskToKernel(true);
  return true;
}

bool BelievedBlocked() noexcept { return t_drain_blocked; }
void SetBelievedBlocked(bool blocked) noexcept { t_drain_blocked = blocked; }

void ShowMaskToKernel(bool show) noexcept {
  if (!t_drain_blocked || (!show && !DrainSignalIsOurs())) return;
  const unsigned long mask = kDrainBit;
  RawSyscall(SYS_rt_sigprocmask, show ? SIG_BLOCK : SIG_UNBLOCK, SyscallArg(&mask), 0, kMaskBytes);
}

void UnblockDrainSignal() noexcept {
  unsigned long mask = 1ul << (kDrainSignal - 1);
  unsigned long old = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, SyscallArg(&mask), SyscallArg(&old), kMaskBytes);
  if (old & mask) t_drain_blocked = true;
}

int MaskForProgram(int how, const sigset_t* set, sigset_t* old) noexcept {
  // Signals 32 and 33 are the C library's own (cancellation, setuid); its
  // sigprocmask never blocks them, nor may we.
  constexpr unsigned long kLibcBits = 3ul << 31;
  unsigned long wanted = 0;
  unsigned long before = 0;
  bool blocks_drain = t_drain_blocked;
  if (set) {
    std::memcpy(&wanted, set, sizeof wanted);
    const bool named = wanted & kDrainBit;
    if (how == SIG_BLOCK) {
      blocks_drain |= named;
    } else if (how == SIG_UNBLOCK) {
      blocks_drain &= !named;
    } else if (how == SIG_SETMASK) {
      blocks_drain = named;
    }
    wanted &= ~kLibcBits;
    if (how != SIG_UNBLOCK && TheAgent() && DrainSignalIsOurs()) wanted &= ~kDrainBit;
  }
  const long r = RawSyscall(SYS_rt_sigprocmask, how, set ? SyscallArg(&wanted) : 0,
                            SyscallArg(&before), kMaskBytes);
  if (r < 0) return static_cast<int>(-r);
  if (old) {
    if (t_drain_blocked) before |= kDrainBit;  // as the program believes
    std::memset(old, 0, sizeof *old);
    std::memcpy(old, &before, sizeof before);
  }
  t_drain_blocked = blocks_drain;
  return 0;
}

}  // namespace csink::agent

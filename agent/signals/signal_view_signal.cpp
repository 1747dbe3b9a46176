#include <errno.h>
#include <linux/futex.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include <atomic>
#include <cstring>

#include "agent/agent.h"
#include "agent/control/snapshot_request.h"
#include "agent/signals/signal_view.h"
#include "agent/stacks/stack_switch.h"
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
  // What the program believes to be set beside SIG_DFL. Threads may set it at once.
  std::atomic<int> flags;
  std::atomic<unsigned long> mask;
};
Managed g_managed[] = {{kDrainSignal, {false}, {0}, {0}},
                       {SIGINT, {false}, {0}, {0}},
                       {SIGTERM, {false}, {0}, {0}},
                       {0, {false}, {0}, {0}}};  // the last one: CSINK_SIGNAL's, when it is named
constexpr std::size_t kSnapshot = 3;

struct sigaction Believed(const Managed& m) noexcept {
  struct sigaction action = {};
  const unsigned long mask = m.mask.load(std::memory_order_relaxed);
  action.sa_flags = m.flags.load(std::memory_order_relaxed);
  std::memcpy(&action.sa_mask, &mask, sizeof mask);
  return action;
}

void Believe(Managed& m, const struct sigaction& action) noexcept {
  unsigned long mask;
  std::memcpy(&mask, &action.sa_mask, sizeof mask);
  m.flags.store(action.sa_flags, std::memory_order_relaxed);
  m.mask.store(mask, std::memory_order_relaxed);
}

// An alternate stack of the program's has no room for a handler of ours.
std::atomic<bool> g_off_alternate_stacks{false};

// A handler stepped back from the drain signal and could not make a thread.
std::atomic<bool> g_stepped_back{false};

// After a step back in a process of several threads our handler stays: the kernel would drop the
// signal at its default as long as one thread, which the program believes to block it, does not.
std::atomic<bool> g_handing_on{false};

std::atomic<bool> g_dying{false};
alignas(64) unsigned char g_death_stack[64 * 1024];

Managed* Find(int signal) noexcept {
  for (Managed& m : g_managed) {
    if (m.signal == signal && signal != 0) return &m;
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

void KeepHandingOn(Agent& agent) noexcept;

// To whom it was sent: a thread, or all, of whom one will take it.
void SendAgain(siginfo_t* info) noexcept {
  const long pid = OwnPid();
  const long tid = AskTid();
  if (!g_handing_on.load(std::memory_order_acquire) || info->si_code == SI_TKILL) {
    RawSyscall(SYS_rt_tgsigqueueinfo, pid, tid, kDrainSignal, SyscallArg(info));
  } else if (RawSyscall(SYS_rt_sigqueueinfo, pid, kDrainSignal, SyscallArg(info)) < 0) {
    RawSyscall(SYS_kill, pid, kDrainSignal);  // only the first thread may say who sent it
  }
}

void OnDrain(int, siginfo_t* info, void* context) {
  Agent* agent = TheAgent();
  if (!agent || agent->OnDrainSignal(*info, context)) return;
  auto* interrupted = static_cast<ucontext_t*>(context);
  unsigned long mask;
  std::memcpy(&mask, &interrupted->uc_sigmask, sizeof mask);
  if (!(AsProgramSees(mask) & kDrainBit) || !agent->IsOurProcess()) return;
  // Somebody's own SIGURG, for a program that believes it blocked and will ask for
  // it: step back, block it for real from the return on, and send it again.
  if (!g_handing_on.load(std::memory_order_acquire)) {
    g_managed[0].ours.store(false, std::memory_order_release);
    g_stepped_back.store(true, std::memory_order_release);
    SetDefault(kDrainSignal);
    agent->StopDrainTimer();
    KeepHandingOn(*agent);
  }
  mask |= kDrainBit;
  std::memcpy(&interrupted->uc_sigmask, &mask, sizeof mask);
  SendAgain(info);
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

// A snapshot takes long and needs room: the control thread makes it.
void OnSnapshotRequest(int, siginfo_t*, void*) {
  Agent* agent = TheAgent();
  if (!agent || !agent->IsOurProcess() || agent->sandboxed()) return;
  std::atomic<std::uint32_t>& requests = agent->control().state().signals;
  requests.fetch_add(1, std::memory_order_release);
  RawSyscall(SYS_futex, SyscallArg(&requests), FUTEX_WAKE_PRIVATE, 1);
}

struct sigaction OurAction(int signal) noexcept {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (!g_off_alternate_stacks.load(std::memory_order_relaxed)) action.sa_flags |= SA_ONSTACK;
  action.sa_sigaction = signal == kDrainSignal                  ? OnDrain
                        : signal == g_managed[kSnapshot].signal ? OnSnapshotRequest
                                                                : OnDeath;
  // All of them, the kernel's way of sigfillset: see RunOnStack.
  std::memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
  return action;
}

using RealSigaction = int (*)(int, const struct sigaction*, struct sigaction*);

}  // namespace

extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*) noexcept;

namespace {

void KeepHandingOn(Agent& agent) noexcept {
  if (agent.registry().used() < 2) return;  // one thread's mask is put right
  const struct sigaction action = OurAction(kDrainSignal);
  if (__sigaction(kDrainSignal, &action, nullptr) == 0) {
    g_handing_on.store(true, std::memory_order_release);
  }
}

// A handler of ours is in the kernel's table.
bool IsInstalled(const Managed& m) noexcept {
  return m.ours.load(std::memory_order_acquire) ||
         (m.signal == kDrainSignal && g_handing_on.load(std::memory_order_acquire));
}

}  // namespace

void InstallSignalView() noexcept {
  for (Managed& m : g_managed) {
    if (m.signal == 0 || !MayHandle(m.signal) || !DefaultInKernel(m.signal)) continue;
    const struct sigaction action = OurAction(m.signal);
    // libc's own entry: it knows the restorer, and is not what we interpose.
    if (__sigaction(m.signal, &action, nullptr) == 0) m.ours.store(true, std::memory_order_release);
  }
}

void InstallSnapshotSignal(int signal) noexcept {
  constexpr int kNotForThis[] = {kDrainSignal, SIGINT,  SIGTERM, SIGSEGV, SIGBUS, SIGFPE,
                                 SIGILL,       SIGTRAP, SIGABRT, SIGSYS,  SIGCHLD};
  Text<200> line;
  line.Add("CSINK_SIGNAL: ");
  for (const int other : kNotForThis) {
    if (signal != other) continue;
    line.Add("signal ").Number(static_cast<std::uint64_t>(signal));
    line.Add(" has another use; take USR1, USR2 or RTMIN+1");
    RawLog(LogLevel::kWarn, line.view());
    return;
  }
  Managed& m = g_managed[kSnapshot];
  m.signal = signal;
  const struct sigaction action = OurAction(signal);
  if (DefaultInKernel(signal) && __sigaction(signal, &action, nullptr) == 0) {
    m.ours.store(true, std::memory_order_release);
    return;
  }
  line.Add("the program handles or ignores this signal; no snapshots by it (CSINK_CONTROL)");
  RawLog(LogLevel::kWarn, line.view());
}

int SnapshotSignal() noexcept { return g_managed[kSnapshot].signal; }
bool SnapshotSignalIsOurs() noexcept {
  return g_managed[kSnapshot].ours.load(std::memory_order_acquire);
}

namespace {

void SaySnapshotSignalIsTaken() noexcept {
  RawLog(LogLevel::kWarn,
         "the program takes CSINK_SIGNAL's signal for itself: no snapshots by it any more "
         "(CSINK_CONTROL)");
}

}  // namespace

void FitAlternateStack(std::size_t bytes) noexcept {
  constexpr std::size_t kHandlerBytes = 1024;
  constexpr std::size_t kLeastFrame = 2048;  // where the kernel does not say
  const unsigned long said = getauxval(AT_MINSIGSTKSZ);
  const std::size_t frame = said > kLeastFrame ? said : kLeastFrame;
  if (bytes >= frame + kHandlerBytes || g_off_alternate_stacks.exchange(true)) return;
  for (const Managed& m : g_managed) {
    if (!IsInstalled(m)) continue;
    const struct sigaction action = OurAction(m.signal);
    __sigaction(m.signal, &action, nullptr);
  }
}

bool DrainSignalIsOurs() noexcept { return g_managed[0].ours.load(std::memory_order_acquire); }

int ViewSigaction(int signal, const struct sigaction* act, struct sigaction* old,
                  RealSigaction real, bool* drain_taken) noexcept {
  Managed* m = Find(signal);
  Agent* agent = m ? TheAgent() : nullptr;
  if (!agent) return real(signal, act, old);
  const bool ours = IsInstalled(*m);
  // A vfork child has its own table of handlers but our memory: it must get what
  // it asks for and leave our notes alone.
  if (!agent->IsOurProcess()) {
    const struct sigaction seen = Believed(*m);
    const int r = act ? real(signal, act, ours ? nullptr : old) : 0;
    if (!ours) return act ? r : real(signal, nullptr, old);
    if (r == 0 && old) *old = seen;
    return r;
  }
  if (!act) {
    if (!ours) return real(signal, nullptr, old);
    if (old) *old = Believed(*m);
    return 0;
  }
  struct sigaction wanted = *act;  // act and old may be the same
#if defined(__x86_64__)
  constexpr int kRestorer = 0x04000000;  // libc adds it, and the kernel shows it again
  wanted.sa_flags |= kRestorer;
#endif
  const bool to_default = !(wanted.sa_flags & SA_SIGINFO) && wanted.sa_handler == SIG_DFL;
  if (ours && to_default) {
    if (old) *old = Believed(*m);
    sigdelset(&wanted.sa_mask, SIGKILL);
    sigdelset(&wanted.sa_mask, SIGSTOP);
    Believe(*m, wanted);
    return 0;
  }
  if (ours) {
    const struct sigaction before = Believed(*m);
    m->ours.store(false, std::memory_order_release);
    if (signal == kDrainSignal) g_handing_on.store(false, std::memory_order_release);
    if (signal == kDrainSignal) SetDefault(signal);  // drops a tick that is pending
    const int r = real(signal, &wanted, nullptr);
    if (old) *old = before;
    *drain_taken = signal == kDrainSignal;
    if (m == &g_managed[kSnapshot] && r == 0) SaySnapshotSignalIsTaken();
    return r;
  }
  const int r = real(signal, &wanted, old);
  // Back at the default, so ours again: the usual way to die of a signal is to
  // reset it and raise it.
  if (r == 0 && to_default && signal != kDrainSignal && MayHandle(signal)) {
    const struct sigaction action = OurAction(signal);
    Believe(*m, wanted);
    if (real(signal, &action, nullptr) == 0) m->ours.store(true, std::memory_order_release);
  }
  return r;
}

bool StepBackFor(const sigset_t* set) noexcept {
  unsigned long wanted = 0;
  if (set) std::memcpy(&wanted, set, sizeof wanted);
  Agent* agent = TheAgent();
  const int snapshot = SnapshotSignal();
  if (snapshot != 0 && (wanted & (1ul << (snapshot - 1))) && agent && agent->IsOurProcess() &&
      g_managed[kSnapshot].ours.exchange(false)) {
    SetDefault(snapshot);
    SaySnapshotSignalIsTaken();
  }
  if (!(wanted & kDrainBit) || !agent || !agent->IsOurProcess()) return false;
  if (g_stepped_back.exchange(false)) {
    ShowMaskToKernel(true);
    return true;
  }
  if (!DrainSignalIsOurs()) return false;
  if (!g_managed[0].ours.exchange(false)) return false;
  SetDefault(kDrainSignal);
  KeepHandingOn(*agent);
  ShowMaskToKernel(true);
  return true;
}

}  // namespace csink::agent

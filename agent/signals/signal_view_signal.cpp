#include <errno.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include <atomic>
#include <cstring>

#include "agent/control/snapshot_request.h"
#include "agent/process/drain_signal.h"
#include "agent/process/process_state.h"
#include "agent/process/program_observer.h"
#include "agent/signals/old_signals.h"
#include "agent/signals/signal_view.h"
#include "agent/threads/stack_switch.h"
#include "core/util/raw_log.h"
#include "core/util/raw_syscall.h"
#include "core/util/thread_id.h"

/// File: the agent's signal handlers, and the view in which they do not exist.
///
/// g_managed has, for each managed signal, whether the agent's handler is installed (`ours`) and
/// the flags and mask that the program set together with SIG_DFL. While `ours` is true, every
/// question of the program is answered from there. Three handlers: OnDrain (drain and ticks),
/// OnDeath (report, then the default action) and OnSnapshotRequest.

namespace csink::agent {
namespace {

constexpr long kMaskBytes = 8;

// The kernel's structure for rt_sigaction. libc's sigaction cannot be called in a handler or a
// vfork child, because other libraries may interpose its symbol.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};
static_assert(sizeof(KernelAction) == 32);

struct Managed {
  std::atomic<int> signal;
  std::atomic<bool> ours;
  // The flags and mask that the program set together with SIG_DFL. Several threads may set them.
  std::atomic<int> flags;
  std::atomic<unsigned long> mask;
};
// The deadly signals are those by which programs are usually ended from outside. The faults are not
// among them: what a report would read may be what the fault has destroyed.
Managed g_managed[] = {
    {{kDrainSignal}, {false}, {0}, {0}}, {{0}, {false}, {0}, {0}},  // CSINK_SIGNAL's, if set
    {{SIGINT}, {false}, {0}, {0}},       {{SIGTERM}, {false}, {0}, {0}},
    {{SIGHUP}, {false}, {0}, {0}},       {{SIGALRM}, {false}, {0}, {0}},
    {{SIGPIPE}, {false}, {0}, {0}}};
constexpr std::size_t kDrain = 0;
constexpr std::size_t kSnapshot = 1;

// The action that the program believes to be set: SIG_DFL with its own flags and mask.
struct sigaction Believed(const Managed& m) noexcept {
  struct sigaction action = {};
  const unsigned long mask = m.mask.load(std::memory_order_relaxed);
  action.sa_flags = m.flags.load(std::memory_order_relaxed);
  std::memcpy(&action.sa_mask, &mask, sizeof mask);
  return action;
}

void SetProgramView(Managed& m, const struct sigaction& action) noexcept {
  unsigned long mask;
  std::memcpy(&mask, &action.sa_mask, sizeof mask);
  m.flags.store(action.sa_flags, std::memory_order_relaxed);
  m.mask.store(mask, std::memory_order_relaxed);
}

// True once the program has set an alternate stack without room for the agent's handlers.
std::atomic<bool> g_off_alternate_stacks{false};

// A handler gave up the drain signal. A handler cannot create the thread that drains instead, so
// the next StepBackFor tells its caller to do so.
std::atomic<bool> g_stepped_back{false};

// After giving up the signal in a process of several threads the handler stays: otherwise the
// kernel would discard the signal at its default disposition, because one thread, which the program
// believes to block it, does not.
std::atomic<bool> g_handing_on{false};

// One thread handles a deadly signal; g_death_stack is its stack. Others take the default action.
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

// For the first process of a pid namespace the kernel ignores deadly signals at their default.
// A report there would end the measurement of a program that goes on.
bool MayHandle(int signal, pid_t pid) noexcept { return signal == DrainSignal() || pid != 1; }

void SetDefault(int signal) noexcept {
  KernelAction action = {};
  RawSyscall(SYS_rt_sigaction, signal, SyscallArg(&action), 0, kMaskBytes);
}

unsigned long DrainBit() noexcept { return 1ul << (DrainSignal() - 1); }

void KeepHandingOn(ProgramObserver& agent) noexcept;

// Sends the signal again to its original target: to this thread, or to the process, of which some
// thread takes it.
void SendAgain(siginfo_t* info) noexcept {
  const long pid = OwnPid();
  const long tid = AskTid();
  if (!g_handing_on.load(std::memory_order_acquire) || info->si_code == SI_TKILL) {
    RawSyscall(SYS_rt_tgsigqueueinfo, pid, tid, DrainSignal(), SyscallArg(info));
  } else if (RawSyscall(SYS_rt_sigqueueinfo, pid, DrainSignal(), SyscallArg(info)) < 0) {
    // Only the main thread may queue a signal with the original sender.
    RawSyscall(SYS_kill, pid, DrainSignal());
  }
}

void OnDrain(int, siginfo_t* info, void* context) {
  ProgramObserver* agent = TheObserver();
  if (!agent || agent->OnDrainSignal(*info, context)) return;
  auto* interrupted = static_cast<ucontext_t*>(context);
  unsigned long mask;
  std::memcpy(&mask, &interrupted->uc_sigmask, sizeof mask);
  // A SIGURG of another sender, in a thread that does not block it: its default action is to be
  // ignored, and that is what happens here.
  if (!(AsProgramSees(mask) & DrainBit()) || !agent->IsOurProcess()) return;
  // The program believes the signal blocked and will wait for it. So the agent gives up the signal,
  // blocks it from the return of this handler on, and sends it again.
  if (!g_handing_on.load(std::memory_order_acquire)) {
    g_managed[kDrain].ours.store(false, std::memory_order_release);
    g_stepped_back.store(true, std::memory_order_release);
    SetDefault(DrainSignal());
    agent->StopDrainTimer();
    KeepHandingOn(*agent);
  }
  mask |= DrainBit();
  std::memcpy(&interrupted->uc_sigmask, &mask, sizeof mask);
  SendAgain(info);
}

void FinishOfSignal(void* arg) {
  TheObserver()->Finish(spool::End::kSignal, *static_cast<int*>(arg));
}

// The default action of a deadly signal, after the report was written: the signal is set to its
// default, sent to this thread and unblocked, so that the parent sees the right status.
void OnDeath(int signal, siginfo_t*, void*) {
  ProgramObserver* agent = TheObserver();
  if (agent && agent->IsOurProcess() && !g_dying.exchange(true)) {
    RunOnStack(FinishOfSignal, &signal, g_death_stack + sizeof g_death_stack);
  }
  // Also in a vfork child, which has its own table of handlers.
  SetDefault(signal);
  unsigned long mask = 1ul << (signal - 1);
  RawSyscall(SYS_tgkill, OwnPid(), AskTid(), signal);
  RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, SyscallArg(&mask), 0, kMaskBytes);
}

// Only counts the request and wakes the control thread: a snapshot takes long and needs memory.
void OnSnapshotRequest(int, siginfo_t*, void*) {
  ProgramObserver* agent = TheObserver();
  if (agent && agent->IsOurProcess() && !agent->sandboxed()) agent->RequestSnapshot();
}

struct sigaction OurAction(int signal) noexcept {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (!g_off_alternate_stacks.load(std::memory_order_relaxed)) action.sa_flags |= SA_ONSTACK;
  action.sa_sigaction = signal == DrainSignal()                 ? OnDrain
                        : signal == g_managed[kSnapshot].signal ? OnSnapshotRequest
                                                                : OnDeath;
  // Blocks all signals during the handler, which RunOnStack requires. memset and not sigfillset,
  // which leaves out the C library's own two signals.
  std::memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
  return action;
}

using RealSigaction = int (*)(int, const struct sigaction*, struct sigaction*);

}  // namespace

// libc's internal entry: it sets the restorer, and it is not the interposed symbol.
extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*) noexcept;

namespace {

void KeepHandingOn(ProgramObserver& agent) noexcept {
  if (!agent.HasThreads()) return;  // with one thread, correcting its mask is enough
  const struct sigaction action = OurAction(DrainSignal());
  if (__sigaction(DrainSignal(), &action, nullptr) == 0) {
    g_handing_on.store(true, std::memory_order_release);
  }
}

// True if a handler of the agent is in the kernel's table.
bool IsInstalled(const Managed& m) noexcept {
  return m.ours.load(std::memory_order_acquire) ||
         (m.signal == DrainSignal() && g_handing_on.load(std::memory_order_acquire));
}

}  // namespace

void InstallSignalView() noexcept {
  const pid_t pid = OwnPid();
  for (Managed& m : g_managed) {
    if (m.signal == 0 || !MayHandle(m.signal, pid) || !DefaultInKernel(m.signal)) continue;
    const struct sigaction action = OurAction(m.signal);
    // libc's internal entry: it sets the restorer, and it is not the interposed symbol.
    if (__sigaction(m.signal, &action, nullptr) == 0) m.ours.store(true, std::memory_order_release);
  }
}

void InstallSnapshotSignal(int signal) noexcept {
  Managed& m = g_managed[kSnapshot];
  // The user's choice comes before a report at the default action of the same signal.
  for (Managed& other : g_managed) {
    if (other.signal != signal || !other.ours.exchange(false)) continue;
    SetDefault(signal);
    other.signal = 0;
  }
  m.signal = signal;
  const struct sigaction action = OurAction(signal);
  if (DefaultInKernel(signal) && __sigaction(signal, &action, nullptr) == 0) {
    m.ours.store(true, std::memory_order_release);
    return;
  }
  RawLog(LogLevel::kWarn,
         "CSINK_SIGNAL is ignored: the program handles or ignores this signal; request snapshots "
         "with CSINK_CONTROL");
}

bool IsManaged(int signal) noexcept { return TheObserver() && Find(signal); }

int SnapshotSignal() noexcept { return g_managed[kSnapshot].signal; }
bool SnapshotSignalIsOurs() noexcept {
  return g_managed[kSnapshot].ours.load(std::memory_order_acquire);
}

namespace {

void SaySnapshotSignalIsTaken() noexcept {
  RawLog(LogLevel::kWarn,
         "the program now handles the signal of CSINK_SIGNAL itself: request further snapshots "
         "with CSINK_CONTROL");
}

}  // namespace

void FitAlternateStack(std::size_t bytes) noexcept {
  // The frame of a handler of the agent before it changes to its own stack.
  constexpr std::size_t kHandlerBytes = 1024;
  constexpr std::size_t kLeastFrame = 2048;  // if the kernel does not report it
  const unsigned long said = getauxval(AT_MINSIGSTKSZ);
  const std::size_t frame = said > kLeastFrame ? said : kLeastFrame;
  if (bytes >= frame + kHandlerBytes || g_off_alternate_stacks.exchange(true)) return;
  for (const Managed& m : g_managed) {
    if (!IsInstalled(m)) continue;
    const struct sigaction action = OurAction(m.signal);
    __sigaction(m.signal, &action, nullptr);
  }
}

bool CanMoveDrainSignal() noexcept {
  const ProgramObserver* agent = TheObserver();
  return agent && DrainSignal() == kDrainSignal && DrainSignalIsOurs() &&
         !g_handing_on.load(std::memory_order_acquire) &&
         !g_stepped_back.load(std::memory_order_acquire) && SnapshotSignal() != kOtherDrainSignal &&
         DefaultInKernel(kOtherDrainSignal);
}

void MoveDrainSignal() noexcept {
  Managed& m = g_managed[kDrain];
  // Not by libc, which adds a restorer. This discards pending ticks.
  KernelAction believed = {};
  believed.flags = static_cast<unsigned>(m.flags.load(std::memory_order_relaxed));
  believed.mask = m.mask.load(std::memory_order_relaxed);
  RawSyscall(SYS_rt_sigaction, kDrainSignal, SyscallArg(&believed), 0, kMaskBytes);
  // From here on the program's calls about the former signal reach the kernel.
  m.ours.store(false, std::memory_order_release);
  m.signal.store(kOtherDrainSignal, std::memory_order_release);
  SetProgramView(m, {});
  g_drain_signal.store(kOtherDrainSignal, std::memory_order_release);
  const struct sigaction action = OurAction(kOtherDrainSignal);
  if (__sigaction(kOtherDrainSignal, &action, nullptr) == 0) {
    m.ours.store(true, std::memory_order_release);
  }
}

bool DrainSignalIsOurs() noexcept { return g_managed[kDrain].ours.load(std::memory_order_acquire); }

int ViewSigaction(int signal, const struct sigaction* act, struct sigaction* old,
                  RealSigaction real, bool* drain_taken) noexcept {
  Managed* m = Find(signal);
  ProgramObserver* agent = m ? TheObserver() : nullptr;
  if (!agent) return real(signal, act, old);
  const bool ours = IsInstalled(*m);
  // A vfork child has its own table of handlers but the parent's memory: the call must take effect
  // and must not change the agent's records.
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
  // A copy, because act and old may be the same object.
  struct sigaction wanted = *act;
#if defined(__x86_64__)
  constexpr int kRestorer = 0x04000000;  // libc adds SA_RESTORER, and the kernel returns it
  wanted.sa_flags |= kRestorer;
#endif
  const bool to_default = !(wanted.sa_flags & SA_SIGINFO) && wanted.sa_handler == SIG_DFL;
  if (ours && to_default) {
    if (old) *old = Believed(*m);
    sigdelset(&wanted.sa_mask, SIGKILL);
    sigdelset(&wanted.sa_mask, SIGSTOP);
    SetProgramView(*m, wanted);
    return 0;
  }
  if (ours) {
    const struct sigaction before = Believed(*m);
    m->ours.store(false, std::memory_order_release);
    if (signal == DrainSignal()) g_handing_on.store(false, std::memory_order_release);
    if (signal == DrainSignal()) SetDefault(signal);  // discards a pending tick
    const int r = real(signal, &wanted, nullptr);
    if (old) *old = before;
    *drain_taken = signal == DrainSignal();
    if (m == &g_managed[kSnapshot] && r == 0) SaySnapshotSignalIsTaken();
    return r;
  }
  const int r = real(signal, &wanted, old);
  // Back at the default, so the agent handles the signal again: programs usually die of a signal by
  // resetting and raising it.
  if (r == 0 && to_default && signal != DrainSignal() && MayHandle(signal, OwnPid())) {
    const struct sigaction action = OurAction(signal);
    SetProgramView(*m, wanted);
    if (real(signal, &action, nullptr) == 0) m->ours.store(true, std::memory_order_release);
  }
  return r;
}

bool StepBackFor(const sigset_t* set) noexcept {
  unsigned long wanted = 0;
  if (set) std::memcpy(&wanted, set, sizeof wanted);
  ProgramObserver* agent = TheObserver();
  const int snapshot = SnapshotSignal();
  if (snapshot != 0 && (wanted & (1ul << (snapshot - 1))) && agent && agent->IsOurProcess() &&
      g_managed[kSnapshot].ours.exchange(false)) {
    SetDefault(snapshot);
    SaySnapshotSignalIsTaken();
  }
  if (!(wanted & DrainBit()) || !agent || !agent->IsOurProcess()) return false;
  if (g_stepped_back.exchange(false)) {
    ShowMaskToKernel(true);
    return true;
  }
  if (!DrainSignalIsOurs()) return false;
  if (!g_managed[kDrain].ours.exchange(false)) return false;
  SetDefault(DrainSignal());
  KeepHandingOn(*agent);
  ShowMaskToKernel(true);
  return true;
}

}  // namespace csink::agent

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/machine/deadly_calls.h"
#include "core/util/raw_syscall.h"

// File: why the children do not share the memory: before Linux 5.16 a process that dumps core ends
// all processes that share its memory.

namespace csink {
namespace {

constexpr unsigned kAll = static_cast<unsigned>(DeadlyCall::kPerfEventOpen) |
                          static_cast<unsigned>(DeadlyCall::kProcessVmReadv) |
                          static_cast<unsigned>(DeadlyCall::kTimerCreate);
constexpr int kSignalMask = 0x7f;  // wait(2)

unsigned g_deadly = 0;

// /proc/thread-self/status says the same, for a hundred times as much.
bool HasFilter() noexcept {
  constexpr long kModeFilter = 2;  // SECCOMP_MODE_FILTER, linux/seccomp.h
  return RawSyscall(SYS_prctl, PR_GET_SECCOMP) == kModeFilter;
}

// The calls fail in the kernel because of their arguments, behind the filter.
void MakeCalls(unsigned calls) noexcept {
  // No core file, and no report of a crash: 1 is the limit at which a handler of core dumps is not
  // started (core(5)).
  const rlimit no_core = {1, 1};
  RawSyscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  RawSyscall(SYS_prlimit64, 0, RLIMIT_CORE, SyscallArg(&no_core), 0);
  const auto has = [calls](DeadlyCall call) { return (calls & static_cast<unsigned>(call)) != 0; };
  if (has(DeadlyCall::kPerfEventOpen)) RawSyscall(SYS_perf_event_open, 0, 0, -1, -1, 0);
  if (has(DeadlyCall::kProcessVmReadv)) RawSyscall(SYS_process_vm_readv, 0, 0, 0, 0, 0, ~0l);
  if (has(DeadlyCall::kTimerCreate)) RawSyscall(SYS_timer_create, -1000, 0, 0);
}

// Whether a child survives the calls. True where no child can be made: nothing is known then.
bool Survives(unsigned calls) noexcept {
  const long pid = RawSyscall(SYS_clone, 0, 0, 0, 0, 0);
  if (pid == 0) {
    MakeCalls(calls);
    RawSyscall(SYS_exit_group, 0);
    __builtin_unreachable();
  }
  if (pid < 0) return true;
  int status = 0;
  constexpr long kInterrupted = -4;  // EINTR
  long waited = kInterrupted;
  while (waited == kInterrupted) {
    waited = RawSyscall(SYS_wait4, pid, SyscallArg(&status), __WALL, 0);
  }
  return waited != pid || (status & kSignalMask) == 0;
}

}  // namespace

void FindDeadlyCalls() noexcept {
  if (!HasFilter() || Survives(kAll)) return;
  unsigned deadly = 0;
  for (unsigned call = 1; (call & kAll) != 0; call <<= 1) {
    if (!Survives(call)) deadly |= call;
  }
  SetDeadlyCalls(deadly);
}

bool IsDeadly(DeadlyCall call) noexcept {
  return (DeadlyCalls() & static_cast<unsigned>(call)) != 0;
}

unsigned DeadlyCalls() noexcept { return __atomic_load_n(&g_deadly, __ATOMIC_RELAXED); }

void SetDeadlyCalls(unsigned calls) noexcept {
  __atomic_store_n(&g_deadly, calls, __ATOMIC_RELAXED);
}

}  // namespace csink

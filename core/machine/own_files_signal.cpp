#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cstdint>

#include "core/machine/child.h"
#include "core/machine/clone_thread.h"
#include "core/machine/own_files.h"
#include "core/machine/valgrind.h"
#include "core/util/raw_syscall.h"

namespace csink {
namespace {

// Without CLONE_FILES the thread gets its own table of descriptors. The kernel clears `alive`
// (CLONE_CHILD_CLEARTID) when the thread no longer uses our memory.
constexpr unsigned long kFlags =
    CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;

// Waits until the kernel no longer counts the ended thread: with two threads, unshare() of the
// program would be refused.
void WaitUntilGone(long tid) noexcept {
  constexpr int kPatience = 1000;  // tries, so that the wait is bounded
  const long pid = RawSyscall(SYS_getpid);
  for (int i = 0; i < kPatience && RawSyscall(SYS_tgkill, pid, tid, 0) != -ESRCH; ++i) {
    RawSyscall(SYS_sched_yield);
  }
}

}  // namespace

// The stack may be used again only after the kernel has cleared `alive`: until then the thread
// still stands on it.
bool RunWithOwnFiles(void (*body)(void*), void* arg, unsigned char* stack) noexcept {
  if (RunsOnValgrind()) return false;
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&all), SyscallArg(&before), 8);
  int alive = 1;
  const long tid = CloneThread(kFlags, body, arg, stack + kChildStackBytes, nullptr, &alive);
  if (tid > 0) {
    while (__atomic_load_n(&alive, __ATOMIC_ACQUIRE) != 0) {
      // Not FUTEX_WAIT_PRIVATE: the kernel wakes a CLONE_CHILD_CLEARTID word as a shared futex.
      RawSyscall(SYS_futex, SyscallArg(&alive), FUTEX_WAIT, 1, 0);
    }
    WaitUntilGone(tid);
  }
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&before), 0, 8);
  return tid > 0;
}

}  // namespace csink

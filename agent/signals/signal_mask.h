#pragma once

#include <signal.h>

#include "agent/process/drain_signal.h"

namespace csink::agent {

/// File: signal masks as the program sees them.
/// While the agent handles the drain signal, the signal stays unblocked in the kernel, whatever the
/// program requests. The agent remembers, for each thread, the last masks in which the program
/// blocked the signal. The kernel's mask also changes without a call that the agent sees (return
/// from a handler, siglongjmp, swapcontext). The other bits of the mask then tell which of the
/// program's masks is in effect. If two masks differ in the drain signal alone, the one set last is
/// assumed.

/// Converts a mask of the kernel (bit n - 1 for signal n) to the mask that this thread's program
/// expects. Threads: about the calling thread only. Signals: safe.
unsigned long AsProgramSees(unsigned long kernel_mask) noexcept;

/// True if the program believes that the drain signal is blocked in this thread. No system call in
/// a thread that never blocked it. Signals: safe.
bool AssumedBlocked() noexcept;

/// Used around exec and spawn. True: makes the kernel's mask the one that the program believes it
/// has, so that the next image inherits that; false: reverts this. Signals: safe.
void ShowMaskToKernel(bool show) noexcept;

/// ShowMaskToKernel for a scope.
class MaskShown {
 public:
  MaskShown() noexcept { ShowMaskToKernel(true); }
  ~MaskShown() { ShowMaskToKernel(false); }
  MaskShown(const MaskShown&) = delete;
  MaskShown& operator=(const MaskShown&) = delete;
};

/// sigprocmask(2) as the program should see it: for the calling thread. `set` and `old` may be
/// nullptr or invalid. Returns 0 or an errno (EINVAL, EFAULT). Signals: safe.
int MaskForProgram(int how, const sigset_t* set, sigset_t* old) noexcept;

}  // namespace csink::agent

#pragma once

#include <signal.h>

#include "agent/process/drain_signal.h"

namespace csink::agent {

/// File: masks as the program sees them.
///
/// While the drain signal is ours it stays unblocked in the kernel, whatever the
/// program asks for, and what it asked for is remembered: the masks with the signal
/// in them that each thread set last, by the rest of the mask. The kernel's mask
/// also changes without a call that we see (a handler returns, siglongjmp,
/// swapcontext); the rest of the mask then tells which of the program's masks it is.
/// Of two masks that differ in nothing but the drain signal, the last one set counts.

/// A mask of the kernel's as this thread's program should see it. Signals: safe.
unsigned long AsProgramSees(unsigned long kernel_mask) noexcept;

/// What this thread's program believes of the drain signal's place in its mask.
/// No system call in a thread that never blocked it. Signals: safe.
bool BelievedBlocked() noexcept;

/// Around exec and spawn: true makes the kernel's mask what the program believes it to
/// be, so that the next image inherits it; false takes that back. Signals: safe.
void ShowMaskToKernel(bool show) noexcept;

/// The same for a scope.
class MaskShown {
 public:
  MaskShown() noexcept { ShowMaskToKernel(true); }
  ~MaskShown() { ShowMaskToKernel(false); }
  MaskShown(const MaskShown&) = delete;
  MaskShown& operator=(const MaskShown&) = delete;
};

/// sigprocmask as the program should see it. 0, or an errno. Signals: safe.
int MaskForProgram(int how, const sigset_t* set, sigset_t* old) noexcept;

}  // namespace csink::agent

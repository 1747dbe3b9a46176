#include <errno.h>

#include <cstring>

#include "agent/process/program_observer.h"
#include "agent/signals/signal_mask.h"
#include "agent/signals/signal_view.h"
#include "agent/threads/libunwind_walker.h"
#include "core/util/raw_syscall.h"

/// File: the masks that the program believes to have. A thread-local table has the last four masks
/// of the program that block the drain signal. The kernel has the same masks without that bit; a
/// mask of the kernel is translated by looking for an entry that differs in that bit only. A thread
/// that never blocked the signal has an empty table and pays nothing.

namespace csink::agent {
namespace {

constexpr long kMaskBytes = 8;
// Signals 32 and 33 belong to the C library (cancellation, setuid). Its sigprocmask never blocks
// them, so the agent must not do so either.
constexpr unsigned long kLibcBits = 3ul << 31;
// Bits that the kernel or the C library removes from every mask; they must not count in
// comparisons.
constexpr unsigned long kNeverBlocked = 1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1) | kLibcBits;

unsigned long BitOf(int signal) noexcept { return 1ul << (signal - 1); }

// `masks`: masks of the program that contain the drain signal, 0: unused; `next`: the entry that is
// replaced next; `signal`: the drain signal of the entries; 0: no mask was ever entered.
struct ProgramMasks {
  unsigned long masks[4];
  unsigned next;
  int signal;
};
thread_local ProgramMasks t_program_masks = {};

// True if the table has masks, and is about the present drain signal.
bool HasBeliefs() noexcept {
  return t_program_masks.signal != 0 && t_program_masks.signal == DrainSignal();
}

unsigned long KernelMask() noexcept {
  unsigned long mask = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, SyscallArg(&mask), kMaskBytes);
  return mask;
}

void ChangeBit(int how, unsigned long bit) noexcept {
  RawSyscall(SYS_rt_sigprocmask, how, SyscallArg(&bit), 0, kMaskBytes);
}

// The entry that equals `mask` in all bits but that of the table's signal; nullptr: none.
unsigned long* FindBelief(unsigned long mask) noexcept {
  if (t_program_masks.signal == 0) return nullptr;
  const unsigned long bit = BitOf(t_program_masks.signal);
  for (unsigned long& known : t_program_masks.masks) {
    if (known != 0 && ((known ^ mask) & ~bit) == 0) return &known;
  }
  return nullptr;
}

// The agent has given up the table's signal: the kernel's mask becomes the program's, for good.
void EndBeliefs() noexcept {
  if (FindBelief(KernelMask())) ChangeBit(SIG_BLOCK, BitOf(t_program_masks.signal));
  t_program_masks = {};
}

// The program has set `mask` in this thread. Adds an entry if the mask blocks the drain signal;
// otherwise removes the entry that differs in this bit only, since the mask set last is assumed.
void Remember(unsigned long mask) noexcept {
  mask &= ~kNeverBlocked;
  if (t_program_masks.signal != 0 && !HasBeliefs()) EndBeliefs();
  const int signal = DrainSignal();
  const bool blocked = mask & BitOf(signal);
  if (!blocked && t_program_masks.signal == 0) return;
  if (unsigned long* known = FindBelief(mask)) {
    *known = blocked ? mask : 0;
  } else if (blocked) {
    t_program_masks.signal = signal;
    t_program_masks.masks[t_program_masks.next++ % 4] = mask;
  }
}

// The mask that results from sigprocmask's `how` and `set`.
unsigned long Combine(int how, unsigned long before, unsigned long set) noexcept {
  return how == SIG_BLOCK ? before | set : how == SIG_UNBLOCK ? before & ~set : set;
}

}  // namespace

unsigned long AsProgramSees(unsigned long kernel_mask) noexcept {
  if (!HasBeliefs()) return kernel_mask;
  const unsigned long bit = BitOf(t_program_masks.signal);
  if (kernel_mask & bit) return kernel_mask;
  return FindBelief(kernel_mask) ? kernel_mask | bit : kernel_mask;
}

bool AssumedBlocked() noexcept {
  return HasBeliefs() && (AsProgramSees(KernelMask()) & BitOf(t_program_masks.signal));
}

void SetAssumedBlocked(bool blocked) noexcept {
  if (blocked) Remember(KernelMask() | BitOf(DrainSignal()));
}

void ShowMaskToKernel(bool show) noexcept {
  if (t_program_masks.signal == 0 || (!show && !(HasBeliefs() && DrainSignalIsOurs()))) return;
  if (!FindBelief(KernelMask())) return;
  ChangeBit(show ? SIG_BLOCK : SIG_UNBLOCK, BitOf(t_program_masks.signal));
}

void UnblockDrainSignal() noexcept {
  const unsigned long bit = BitOf(DrainSignal());
  unsigned long old = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, SyscallArg(&bit), SyscallArg(&old), kMaskBytes);
  if (old & bit) Remember(old);
}

int MaskForProgram(int how, const sigset_t* set, sigset_t* old) noexcept {
  // libunwind, inside a drain, where the drain signal must stay blocked. The handler has left the
  // program's alternate stack; the frame of a second signal would overwrite the first one's there.
  if (LibunwindWalker::OnWalkStack()) {
    return static_cast<int>(
        -RawSyscall(SYS_rt_sigprocmask, how, SyscallArg(set), SyscallArg(old), kMaskBytes));
  }
  const bool ours = TheObserver() && DrainSignalIsOurs();
  const unsigned long drain_bit = BitOf(DrainSignal());
  // The agent has given up the signal since the last call of this thread.
  if (t_program_masks.signal != 0 && !(ours && HasBeliefs())) EndBeliefs();
  unsigned long wanted = 0;
  unsigned long in_kernel = 0;
  if (set) {
    std::memcpy(&wanted, set, sizeof wanted);
    wanted &= ~kLibcBits;
    in_kernel = ours && how != SIG_UNBLOCK ? wanted & ~drain_bit : wanted;
  }
  // The kernel writes directly to the program's address, so that an invalid one gives EFAULT; like
  // libc, it writes only its own part of a sigset_t.
  unsigned long before = 0;
  const long r = RawSyscall(SYS_rt_sigprocmask, how, set ? SyscallArg(&in_kernel) : 0,
                            old ? SyscallArg(old) : SyscallArg(&before), kMaskBytes);
  if (r == -EFAULT && set && ours) {  // the kernel has set the new mask all the same
    Remember(Combine(how, AsProgramSees(KernelMask()), wanted));
  }
  if (r < 0) return static_cast<int>(-r);
  if (old) std::memcpy(&before, old, sizeof before);
  const unsigned long seen = AsProgramSees(before);
  if (set && ours) Remember(Combine(how, seen, wanted));
  if (old && seen != before) std::memcpy(old, &seen, sizeof seen);
  return 0;
}

}  // namespace csink::agent

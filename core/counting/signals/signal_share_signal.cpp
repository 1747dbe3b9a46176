#include <cstdint>
#include <cstring>

#include "core/counting/signals/signal_share.h"
#include "core/util/raw_syscall.h"
#include "core/util/signals_blocked.h"
#include "core/util/thread_id.h"

// glibc's internal name of sigaction: programs and agents interpose the public name. With
// ThreadSanitizer the public name must be used, since the sanitizer has to see the call.
extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*) noexcept;

namespace csink {
namespace {

// What a former disposition with SA_RESETHAND becomes after its first signal.
const struct sigaction kStandard = {};  // SIG_DFL

constexpr std::uint64_t Bit(int signal) noexcept { return std::uint64_t{1} << (signal - 1); }

// signal(7), action "Ign" (and "Cont").
bool IgnoredByDefault(int signal) noexcept {
  return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

/// Whether the processor raised the signal (a breakpoint, for instance). If not, a process sent it.
bool IsFault(const siginfo_t& info) noexcept { return info.si_code > 0; }

// The first 64 bits of glibc's sigset_t are the kernel's mask: bit n - 1 is signal n.
std::uint64_t KernelMask(const sigset_t& set) noexcept {
  std::uint64_t mask;
  std::memcpy(&mask, &set, sizeof mask);
  return mask;
}

// Member by member: struct sigaction has padding, and libc may set flags of its own (SA_RESTORER)
// alike in both.
bool Same(const struct sigaction& a, const struct sigaction& b) noexcept {
  return a.sa_sigaction == b.sa_sigaction && a.sa_flags == b.sa_flags &&
         KernelMask(a.sa_mask) == KernelMask(b.sa_mask);
}

/// Lets the default action take effect when our handler returns: restores SIG_DFL and sends the
/// signal again, with its siginfo, so that a core dump shows the original cause.
void DieOfDefault(int signal, const siginfo_t* info) noexcept {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  SignalShare::Sigaction(signal, &standard, nullptr);
  RawSyscall(SYS_rt_tgsigqueueinfo, RawSyscall(SYS_getpid), RawSyscall(SYS_gettid), signal,
             SyscallArg(info));
}

}  // namespace

class SignalShare::AllBlocked {
 public:
  explicit AllBlocked(FutexLock& lock) noexcept : holding_(lock, AskTid()) {}

 private:
  const SignalsBlocked blocked_;  // constructed before the lock is taken, destroyed after
  const FutexHolding holding_;
};

void SignalShare::Sigaction(int signal, const struct sigaction* act,
                            struct sigaction* old) noexcept {
#if defined(CSINK_SANITIZED)
  sigaction(signal, act, old);
#else
  __sigaction(signal, act, old);
#endif
}

bool SignalShare::InPlace(struct sigaction* now) const noexcept {
  Sigaction(signal(), nullptr, now);
  return (now->sa_flags & SA_SIGINFO) != 0 && now->sa_sigaction == handler_;
}

const struct sigaction* SignalShare::Keep(const struct sigaction& former) noexcept {
  const std::size_t used = next_kept_ < kKept ? next_kept_ : kKept;
  for (std::size_t i = 0; i < used; ++i) {
    if (Same(kept_[i], former)) return &kept_[i];
  }
  struct sigaction& place = kept_[next_kept_++ % kKept];
  place = former;
  return &place;
}

// The handler may interrupt any thread at any moment. So everything that it reads is in place
// before it is.
void SignalShare::Install(const struct sigaction& former) noexcept {
  // Stored before the handler is installed: the handler may run at once.
  former_.store(Keep(former), std::memory_order_release);
  const bool handled = former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN;
  struct sigaction ours = {};
  ours.sa_sigaction = handler_;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (handled ? former.sa_flags & SA_RESTART : SA_RESTART);
  sigemptyset(&ours.sa_mask);
  for (std::size_t i = 0; i < blocked_count_; ++i) sigaddset(&ours.sa_mask, blocked_[i]);
  Sigaction(signal(), &ours, nullptr);
}

void SignalShare::Take(int (*choose)() noexcept) noexcept {
  AllBlocked guard(lock_);
  if (users_++ == 0) signal_.store(choose(), std::memory_order_relaxed);
  struct sigaction now = {};
  if (!InPlace(&now)) Install(now);
}

void SignalShare::Check() noexcept {
  struct sigaction now = {};
  if (InPlace(&now)) return;
  AllBlocked guard(lock_);
  if (users_ > 0 && !InPlace(&now)) Install(now);
}

void SignalShare::Give(bool may_come_late) noexcept {
  AllBlocked guard(lock_);
  // A late signal that is ignored by default does no harm after our handler has gone. Any other
  // would end the process.
  if (may_come_late && !IgnoredByDefault(signal())) stays_ = true;
  if (--users_ > 0 || stays_) return;
  struct sigaction now = {};
  // Where the program has installed a handler since, that handler stays.
  if (InPlace(&now)) Sigaction(signal(), former_.load(std::memory_order_relaxed), nullptr);
}

void SignalShare::PassOn(int signal, siginfo_t* info, void* context) noexcept {
  const struct sigaction* former = former_.load(std::memory_order_acquire);
  const bool ignored = former->sa_handler == SIG_IGN;
  if (ignored || former->sa_handler == SIG_DFL) {
    // SIG_IGN does not hold for a fault: the kernel ends a process whose fault is ignored or
    // blocked, since the same instruction would fault again for ever.
    if (IgnoredByDefault(signal) || (ignored && !IsFault(*info))) return;
    DieOfDefault(signal, info);
    return;
  }
  if ((former->sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    // SA_RESETHAND: the kernel would reset the disposition before it called the handler.
    const struct sigaction* expected = former;
    former_.compare_exchange_strong(expected, &kStandard, std::memory_order_acq_rel);
  }
  // Applies the former handler's mask. The return from our own handler restores the old mask.
  std::uint64_t mask = KernelMask(former->sa_mask);
  RawSyscall(SYS_rt_sigprocmask, SIG_BLOCK, SyscallArg(&mask), 0, sizeof mask);
  if ((former->sa_flags & SA_NODEFER) != 0 && (mask & Bit(signal)) == 0) {
    mask = Bit(signal);
    RawSyscall(SYS_rt_sigprocmask, SIG_UNBLOCK, SyscallArg(&mask), 0, sizeof mask);
  }
  if ((former->sa_flags & SA_SIGINFO) != 0) {
    former->sa_sigaction(signal, info, context);
  } else {
    former->sa_handler(signal);
  }
}

}  // namespace csink

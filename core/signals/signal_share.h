#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>

#include "core/util/futex_lock.h"

namespace csink {

/// One signal of the process, shared with whoever had it before us: a handler of ours looks at each
/// first and passes on what is not its own, as the kernel would have delivered it. The former
/// disposition comes back when the last user has gone.
///
/// Our handler is installed with SA_SIGINFO, SA_ONSTACK and the SA_RESTART of the handler before
/// it (on, when there was none).
///
/// In static storage, constant-initialized.
/// Threads: any. Signals: safe; all are blocked while the lock is held, so that no handler of this
///          thread can find it taken.
class SignalShare {
 public:
  using Handler = void (*)(int signal, siginfo_t* info, void* context);

  /// `blocked`: further signals that wait while the handler runs.
  constexpr SignalShare(Handler handler, const int* blocked, std::size_t blocked_count) noexcept
      : handler_(handler), blocked_(blocked), blocked_count_(blocked_count) {}

  /// One user more. The first one chooses the signal, which stays until the last has gone.
  void Take(int (*choose)() noexcept) noexcept;
  /// The signal; 0 before the first user.
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }
  /// Installs the handler anew when the program has put another one over it, which then is what
  /// foreign signals are passed on to.
  void Check() noexcept;
  /// One user less. The last one puts the former disposition back, unless the program has set
  /// another one meanwhile. `may_come_late`: a signal of this user's may still be pending in some
  /// thread; where a late one would kill, the handler stays for good.
  void Give(bool may_come_late) noexcept;

  /// From the handler: a signal that is not ours.
  void PassOn(int signal, siginfo_t* info, void* context) noexcept;

  /// sigaction(2) as libc has it, past everything that interposes it.
  static void Sigaction(int signal, const struct sigaction* act, struct sigaction* old) noexcept;

  /// In a forked child, before anything else.
  void ProcessForked() noexcept { lock_.ResetAfterFork(); }

 private:
  class AllBlocked;
  bool InPlace(struct sigaction* now) const noexcept;
  void Install(const struct sigaction& former) noexcept;
  const struct sigaction* Keep(const struct sigaction& former) noexcept;

  // Former dispositions. A handler may be reading one while another is installed, so none is
  // changed before all others were used.
  static constexpr std::size_t kKept = 8;

  Handler handler_;
  const int* blocked_;
  std::size_t blocked_count_;
  FutexLock lock_;
  std::size_t users_ = 0;
  bool stays_ = false;
  std::atomic<int> signal_{0};
  struct sigaction kept_[kKept] = {};
  std::size_t next_kept_ = 0;
  std::atomic<const struct sigaction*> former_{nullptr};
};

}  // namespace csink

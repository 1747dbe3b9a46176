#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>

#include "core/util/futex_lock.h"

namespace csink {

/// One signal of the process, shared with the program's own handler for it. Our handler looks at
/// each signal first and passes on what is not ours, as the kernel would have delivered it. When
/// the last user has gone, the former disposition is restored.
///
/// Our handler is installed with SA_SIGINFO, SA_ONSTACK and the SA_RESTART flag of the handler
/// before it (set where there was none).
///
/// Owns:    the signal's disposition between the first Take and the last Give. Objects lie in
/// static storage and are constant-initialised.
/// Threads: any.
/// Signals: safe. All signals are blocked while the lock is held, so a handler of this thread never
/// finds the lock taken.
class SignalShare {
 public:
  using Handler = void (*)(int signal, siginfo_t* info, void* context);

  /// `handler` is our handler; the signals in `blocked` are blocked while it runs.
  constexpr SignalShare(Handler handler, const int* blocked, std::size_t blocked_count) noexcept
      : handler_(handler), blocked_(blocked), blocked_count_(blocked_count) {}

  /// Adds a user. The first user chooses the signal by `choose`, which must return the number of a
  /// valid signal; it stays until the last user has gone. Installs our handler if it is not in
  /// place. The caller must call Give once for each Take.
  void Take(int (*choose)() noexcept) noexcept;
  /// The signal's number; 0 before the first user. Keeps the last number after the last user.
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }
  /// Installs our handler again where the program has replaced it. Foreign signals then go to the
  /// program's new handler. One system call where nothing was replaced.
  void Check() noexcept;
  /// Removes a user. After the last one the former disposition is restored, unless the program has
  /// changed it meanwhile. `may_come_late`: a signal of this user may still be pending in some
  /// thread. Where such a signal would kill by default, our handler stays for the life of the
  /// process.
  void Give(bool may_come_late) noexcept;

  /// Called by the handler for a signal that is not ours: does what the former disposition says. A
  /// handler of the program runs inside this call with its own mask, SA_NODEFER and SA_RESETHAND
  /// respected, and may leave by longjmp. A default action that ends the process takes effect when
  /// our handler returns.
  /// Signals: safe; called in the handler only.
  void PassOn(int signal, siginfo_t* info, void* context) noexcept;

  /// sigaction(2) of libc itself, past functions that interpose it (ours and those of other tools).
  /// Errors are ignored: the signal numbers are valid.
  static void Sigaction(int signal, const struct sigaction* act, struct sigaction* old) noexcept;

  /// Frees the lock in a forked child, before any other call: the lock's holder does not exist
  /// there. The disposition is inherited and stays.
  void ProcessForked() noexcept { lock_.ResetAfterFork(); }

 private:
  class AllBlocked;
  /// Stores the present disposition in `now`. Returns whether its handler is ours.
  bool InPlace(struct sigaction* now) const noexcept;
  /// Installs our handler in front of `former`.
  void Install(const struct sigaction& former) noexcept;
  /// Stores a disposition in the ring, once for each different one. The pointer stays valid until
  /// kKept different ones have followed.
  const struct sigaction* Keep(const struct sigaction& former) noexcept;

  // Former dispositions, in a ring. A handler may be reading one while another is stored, so an
  // entry is overwritten only after all others.
  static constexpr std::size_t kKept = 8;

  Handler handler_;
  const int* blocked_;
  std::size_t blocked_count_;
  FutexLock lock_;
  /// Take minus Give; guarded by lock_, as are stays_ and next_kept_.
  std::size_t users_ = 0;
  bool stays_ = false;  ///< Our handler is never removed: a late signal would kill
  std::atomic<int> signal_{0};
  struct sigaction kept_[kKept] = {};
  std::size_t next_kept_ = 0;
  /// Read by the handler without the lock.
  std::atomic<const struct sigaction*> former_{nullptr};
};

}  // namespace csink
